import type { DicomHead } from './dicomHead';
import type { FileHead, Kind } from './reading';
import type { Source } from './sources';

/** The reasons for which a file is left out before sending. */
export type OmitReason = 'notMedical' | 'archive' | 'directory' | 'empty' | 'size' | 'unreadable';

export interface Omitted {
  source: Source;
  reason: OmitReason;
}

/** A file with its first bytes read. */
export interface Sorted {
  id: string;
  source: Source;
  kind: Exclude<Kind, 'other' | 'zip'>;
  dicom?: DicomHead | undefined;
}

export interface Series {
  /** SeriesInstanceUID. It stays in this browser. */
  key: string;
  number?: number | undefined;
  modality?: string | undefined;
  description?: string | undefined;
  files: Sorted[];
}

export interface Study {
  /** StudyInstanceUID. It stays in this browser. */
  key: string;
  description?: string | undefined;
  date?: string | undefined;
  modalities: string[];
  series: Series[];
  /** The patient that the first file names. */
  patient: { name?: string | undefined; birthDate?: string | undefined; sex?: string | undefined };
  /** True when files of this study name different patients. */
  mixed: boolean;
}

export interface Plan {
  studies: Study[];
  /** Pictures, PDF files and DICOM files without a study. */
  single: Sorted[];
  /** True when the files come from a disc: its pictures are often parts of a viewer program. */
  disc: boolean;
}

/** Decides about one file by its first bytes. */
export function sort(id: string, source: Source, head: FileHead, maxBytes: number): Sorted | Omitted {
  if (head.dicom?.directory) return { source, reason: 'directory' };
  if (head.kind === 'zip') return { source, reason: 'archive' };
  if (head.kind === 'other') return { source, reason: 'notMedical' };
  if (source.size > maxBytes) return { source, reason: 'size' };
  return { id, source, kind: head.kind, dicom: head.dicom };
}

export const isOmitted = (one: Sorted | Omitted): one is Omitted => 'reason' in one;

/** Collects values under their key, in the order of their first occurrence. */
function collect<T>(list: readonly T[], keyOf: (one: T) => string): [string, T[]][] {
  const found = new Map<string, T[]>();
  for (const one of list) {
    const same = found.get(keyOf(one));
    if (same) same.push(one);
    else found.set(keyOf(one), [one]);
  }
  return [...found];
}

const patientOf = (head: DicomHead) => [head.patientName, head.patientBirthDate, head.patientSex].join('\n');
const unique = (list: readonly string[]) => [...new Set(list)];

function studyOf(key: string, files: Sorted[]): Study {
  const heads = files.flatMap(({ dicom }) => dicom ?? []);
  const first = heads[0];
  const series = collect(files, ({ dicom }) => dicom?.seriesUid ?? '').map(([seriesUid, own]): Series => {
    const head = own[0]?.dicom;
    return {
      key: seriesUid,
      number: head?.seriesNumber,
      modality: head?.modality,
      description: head?.seriesDescription,
      files: own,
    };
  });
  return {
    key,
    description: first?.studyDescription,
    date: first?.studyDate,
    modalities: unique(heads.flatMap(({ modality }) => modality ?? [])),
    series: series.sort((a, b) => (a.number ?? Infinity) - (b.number ?? Infinity) || 0),
    patient: { name: first?.patientName, birthDate: first?.patientBirthDate, sex: first?.patientSex },
    mixed: unique(heads.map(patientOf)).length > 1,
  };
}

const names = new Intl.Collator(undefined, { numeric: true });

/** Groups the files as the server will: DICOM files by their study, all others each for itself. */
export function planOf(read: readonly Sorted[], disc: boolean): Plan {
  // Several files are read at the same time, so they arrive in any order.
  const files = read.toSorted((a, b) => names.compare(a.source.name, b.source.name));
  const ofStudies = files.filter(({ dicom }) => dicom?.studyUid);
  return {
    studies: collect(ofStudies, ({ dicom }) => dicom?.studyUid ?? '').map(([key, own]) => studyOf(key, own)),
    single: files.filter(({ dicom }) => !dicom?.studyUid),
    disc,
  };
}

/** Returns a caption made of a file's name, without ending and underscores. */
export const captionOf = (name: string, longest: number): string =>
  name
    .replace(/\.[^.]{1,5}$/, '')
    .replace(/[_\s]+/g, ' ')
    .trim()
    .slice(0, longest) || name.slice(0, longest);

/** True when a text contains a part of the patient's name: such a text is no caption. */
export function namesPatient(text: string, patientName: string | undefined): boolean {
  const words = (patientName ?? '')
    .toLocaleLowerCase()
    .split(/[\^=,\s]+/)
    .filter((word) => word.length > 2);
  const lower = text.toLocaleLowerCase();
  return words.some((word) => lower.includes(word));
}

/** Formats a person's name of DICOM (PS3.5 section 6.2.1): FAROOQ^HINA becomes “FAROOQ, HINA”. */
export const plainName = (name: string): string =>
  name
    .split('=')[0]
    ?.split('^')
    .map((part) => part.trim())
    .filter(Boolean)
    .join(', ') ?? '';
