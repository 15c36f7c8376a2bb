import { decodeText } from '@lightbox/core/imaging/characters.js';
import type { FileIdentity } from '@lightbox/core/imaging/fileIdentity.js';
import type { DataSet } from 'dicom-parser';
import { code, date, decimal, withoutNull } from './dicomValues.js';

const TEXT = 256;

/** Returns what a header says about person, study and series. Values that are not well formed are left out. */
export function identityOf(set: DataSet): FileIdentity {
  return withoutNull({
    studyUid: uid(set, 'x0020000d'),
    seriesUid: uid(set, 'x0020000e'),
    sopUid: uid(set, 'x00080018'),
    seriesNumber: integer(set, 'x00200011'),
    seriesDescription: text(set, 'x0008103e'),
    studyDescription: text(set, 'x00081030'),
    studyDate: date(set.string('x00080020')),
    instanceNumber: integer(set, 'x00200013'),
    modality: code(set, 'x00080060'),
    position: decimals(set, 'x00200032', 3) as [number, number, number] | null,
    orientation: decimals(set, 'x00200037', 6) as FileIdentity['orientation'] | null,
    patientName: text(set, 'x00100010'),
    patientBirthDate: date(set.string('x00100030')),
    patientSex: sex(code(set, 'x00100040')),
  }) as FileIdentity;
}

function uid(set: DataSet, tag: string): string | null {
  const value = set.string(tag)?.trim() ?? '';
  return /^[0-9.]{1,64}$/.test(value) ? value : null;
}

function integer(set: DataSet, tag: string): number | null {
  const value = decimal(set, tag);
  return value !== null && Number.isSafeInteger(value) ? value : null;
}

function decimals(set: DataSet, tag: string, count: number): number[] | null {
  const values = Array.from({ length: count }, (_, index) => decimal(set, tag, index));
  return values.every((value) => value !== null) ? (values as number[]) : null;
}

/** Returns a text without control characters and padding, in the character set of the file. */
function text(set: DataSet, tag: string): string | null {
  const element = set.elements[tag];
  if (!element) return null;
  const bytes = Buffer.from(set.byteArray.subarray(element.dataOffset, element.dataOffset + element.length));
  const value = decodeText(bytes, (set.string('x00080005') ?? '').split('\\'))
    .replace(/\p{Cc}/gu, '')
    .trim();
  return value === '' ? null : value.slice(0, TEXT);
}

const sex = (value: string | null): 'M' | 'F' | 'O' | null =>
  value === 'M' || value === 'F' || value === 'O' ? value : null;
