import type { DataSet } from 'dicom-parser';

/** Drops null values: the record has no field for a value that the header lacks. */
export function withoutNull<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], null> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as ReturnType<
    typeof withoutNull<T>
  >;
}

/** Returns a code string (VR CS, PS3.5 §6.2); null for any other text in its place, which is never shown. */
export function code(set: DataSet, tag: string): string | null {
  const value = set.string(tag)?.trim().toUpperCase() ?? '';
  return /^[A-Z0-9_ ]{1,16}$/.test(value) ? value : null;
}

export function decimal(set: DataSet, tag: string, index = 0): number | null {
  const value = set.elements[tag] ? set.floatString(tag, index) : undefined;
  return value !== undefined && Number.isFinite(value) ? value : null;
}

/** Returns a date (VR DA) as YYYY-MM-DD. */
export function date(value: string | undefined): string | null {
  const [, year, month, day] = /^(\d{4})\.?(\d{2})\.?(\d{2})$/.exec(value?.trim() ?? '') ?? [];
  const iso = `${year}-${month}-${day}`;
  const parsed = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== iso ? null : iso;
}
