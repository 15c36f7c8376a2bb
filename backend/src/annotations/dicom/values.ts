import { createHash } from 'node:crypto';
import type { FrameFacts, TagRow } from '@lightbox/contract/images/drawing.js';
import { AppError } from '@lightbox/core/errors.js';

/** A data set by keyword (PS3.6). Sequences are arrays of data sets. */
export type DataSet = { [keyword: string]: unknown };

/** Elements of the image that its report or presentation state repeats, as far as their values are valid. */
export interface Header {
  /** Patient and study: the same in every instance of the study. */
  shared: DataSet;
  studyUid: string;
  seriesUid: string;
  sopClass: string;
  sopInstance: string;
}

const isUid = (value: string) => value.length <= 64 && /^[0-2](\.(0|[1-9]\d*))+$/.test(value);
const upTo = (most: number) => (value: string) => value.length <= most && !/[\\\p{Cc}]/u.test(value);
/** The elements of the patient and study modules, with the test of a valid value. Others are sent empty. */
const repeated: Record<string, (value: string) => boolean> = {
  PatientName: upTo(200),
  PatientID: upTo(64),
  PatientBirthDate: (value) => /^\d{8}$/.test(value),
  PatientSex: (value) => /^[MFO]$/.test(value),
  StudyDate: (value) => /^\d{8}$/.test(value),
  StudyTime: (value) => /^\d{2}(\d{2}(\d{2}(\.\d{1,6})?)?)?$/.test(value),
  StudyID: upTo(16),
  AccessionNumber: upTo(16),
  ReferringPhysicianName: upTo(200),
};

/** Reads the header of an image from its tags. Throws `NOT_DICOM` for a file without the UIDs that a reference needs. */
export function headerOf(rows: readonly TagRow[]): Header {
  const top = new Map(
    rows.flatMap(({ depth, keyword, value }) => (keyword && !depth ? [[keyword, value.trim()]] : [])),
  );
  const uid = (keyword: string): string => {
    const value = top.get(keyword) ?? '';
    if (!isUid(value)) throw new AppError('NOT_DICOM');
    return value;
  };
  const studyUid = uid('StudyInstanceUID');
  const shared = Object.entries(repeated).map(([keyword, isValid]) => {
    const value = top.get(keyword) ?? '';
    return [keyword, isValid(value) ? value : ''];
  });
  return {
    shared: { ...Object.fromEntries(shared), StudyInstanceUID: studyUid },
    studyUid,
    seriesUid: uid('SeriesInstanceUID'),
    sopClass: uid('SOPClassUID'),
    sopInstance: uid('SOPInstanceUID'),
  };
}

/** Returns the UID of a 128-bit number in hexadecimal digits (PS3.5 §B.2). */
const uidOf = (hex: string): string => `2.25.${BigInt(`0x${hex}`)}`;
/** Returns the UID of a UUID. */
export const uidOfUuid = (uuid: string): string => uidOf(uuid.replaceAll('-', ''));
/** Returns a UID that is always the same for the same parts. */
export const uidFor = (...parts: string[]): string =>
  uidOf(createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32));

/** A decimal string has at most 16 characters (PS3.5 §6.2). */
export const decimal = (value: number): string => String(Number(value.toPrecision(8))).slice(0, 16);

/** Returns a person name (PS3.5 §6.2.1) without the characters that separate its parts. */
export const personName = ({ firstname, lastname }: { firstname: string; lastname: string }): string =>
  [lastname, firstname]
    .map((part) =>
      part
        .replace(/[\\^=\p{Cc}]/gu, ' ')
        .trim()
        .slice(0, 64),
    )
    .join('^');

export const dateOf = (at: Date): string => at.toISOString().slice(0, 10).replaceAll('-', '');
export const timeOf = (at: Date): string => at.toISOString().slice(11, 19).replaceAll(':', '');

/**
 * Returns points as DICOM counts them: the corner of the first pixel is 0, 0, and no point lies beside the frame
 * (PS3.3 §C.18.6.1.1, §C.10.5.1.2).
 */
export function graphicData(
  points: readonly (readonly [number, number])[],
  { rows = 0, columns = 0 }: Pick<FrameFacts, 'rows' | 'columns'>,
): number[] {
  const within = (value: number, most: number) => Math.max(0, Math.min(most, value + 0.5));
  return points.flatMap(([x, y]) => [within(x, columns), within(y, rows)]);
}

/** The ends of the longer axis come first (PS3.3 §C.18.6.1.2). */
export function axesInOrder<P extends readonly [number, number]>([a, b, c, d]: readonly [P, P, P, P]): [P, P, P, P] {
  const long = (from: P, to: P) => Math.hypot(to[0] - from[0], to[1] - from[1]);
  return long(a, b) >= long(c, d) ? [a, b, c, d] : [c, d, a, b];
}
