import type { SettingUnit } from '@lightbox/contract/settings/known.js';
import { settingUnits } from '@lightbox/contract/settings/shown.js';

/** A number as a person types it, with its unit. */
export interface Amount {
  text: string;
  unit: string;
}

export const unitsOf = (unit: SettingUnit): string[] => Object.keys(settingUnits[unit]);

/** Returns the number in the largest unit in which it is a whole number. */
export function amountOf(unit: SettingUnit, value: string | number): Amount {
  const number = Number(value);
  const fitting = Object.entries(settingUnits[unit]).filter(([, size]) => number >= size && number % size === 0);
  const [smallest = '', smallestSize = 1] = Object.entries(settingUnits[unit])[0] ?? [];
  const [name, size] = fitting.at(-1) ?? [smallest, smallestSize];
  return { text: String(Math.round((number / size) * 100) / 100), unit: name };
}

/** Returns the value for the server, in the setting's own unit. Text that is no number stays as it is, and is refused. */
export function storedOf(unit: SettingUnit, { text, unit: typed }: Amount): string {
  const size = settingUnits[unit][typed] ?? 1;
  const plain = text.trim().replace(',', '.');
  if (!/^\d{1,15}(\.\d{1,6})?$/.test(plain)) return text.trim();
  return String(size === 1 ? Number(plain) : Math.round(Number(plain) * size));
}
