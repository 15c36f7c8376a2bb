import { inflateRawSync } from 'node:zlib';
import { limits } from '@lightbox/contract/limits.js';
import { type Encoding, encodingOf, LONG_VR } from '@lightbox/core/imaging/encoding.js';
import { type DataSet, readDataSet, Undrawable } from './dataSet.js';

export const syntaxes = {
  implicitLittle: '1.2.840.10008.1.2',
  explicitLittle: '1.2.840.10008.1.2.1',
  deflated: '1.2.840.10008.1.2.1.99',
  explicitBig: '1.2.840.10008.1.2.2',
  encapsulatedUncompressed: '1.2.840.10008.1.2.1.98',
  rle: '1.2.840.10008.1.2.5',
} as const;

const PREAMBLE = 128;

export interface DicomFile {
  /** The bytes that the elements refer to: the file, or its inflated data set. */
  bytes: Buffer;
  /** True when `bytes` is not the file itself. */
  inflated: boolean;
  syntax: string;
  /** Group 2, if the file has one. */
  meta: DataSet | null;
  set: DataSet;
}

/** Opens a DICOM file (PS3.10 §7), with or without preamble and meta header. */
export function openDicom(file: Buffer): DicomFile {
  const start = file.toString('latin1', PREAMBLE, PREAMBLE + 4) === 'DICM' ? PREAMBLE + 4 : 0;
  const meta = start > 0 || file.readUInt16LE(0) === 2 ? readMeta(file, start) : null;
  const at = meta?.end ?? start;
  const syntax = meta?.set.text(0x00020010) ?? null;
  if (syntax === syntaxes.deflated) {
    const bytes = inflate(file.subarray(at));
    return {
      bytes,
      inflated: true,
      syntax,
      meta: meta?.set ?? null,
      set: readDataSet(bytes, 0, codingAt(bytes, 0)),
    };
  }
  const coding = codingAt(file, at);
  const set = readDataSet(file, at, coding);
  if (set.elements.size === 0) throw new Undrawable('no elements');
  const named = syntax === null || plain.has(syntax) ? syntaxOf(coding) : syntax;
  return { bytes: file, inflated: false, syntax: named, meta: meta?.set ?? null, set };
}

/** Transfer syntaxes that say nothing but the encoding of the elements. */
const plain = new Set<string>([syntaxes.implicitLittle, syntaxes.explicitLittle, syntaxes.explicitBig]);
const syntaxOf = ({ implicit, big }: Encoding): string =>
  implicit ? syntaxes.implicitLittle : big ? syntaxes.explicitBig : syntaxes.explicitLittle;

/** Reads group 2, which is always explicit little endian (PS3.10 §7.1), up to the first element of another group. */
function readMeta(file: Buffer, start: number): { set: DataSet; end: number } {
  let end = start;
  while (end + 8 <= file.length && file.readUInt16LE(end) === 2) {
    const long = LONG_VR.has(file.toString('latin1', end + 4, end + 6));
    if (long && end + 12 > file.length) break;
    end += long ? 12 + file.readUInt32LE(end + 8) : 8 + file.readUInt16LE(end + 6);
  }
  const last = Math.min(end, file.length);
  return { set: readDataSet(file.subarray(0, last), start, { implicit: false, big: false }), end: last };
}

/** Returns the encoding of the data set: its first element decides over the transfer syntax, as it did in the upload. */
function codingAt(bytes: Buffer, at: number): Encoding {
  if (bytes.length < at + 8) throw new Undrawable('no data set');
  return encodingOf(bytes, at);
}

/** Inflates a deflated data set (PS3.5 §A.5) up to a limit. */
function inflate(deflated: Buffer): Buffer {
  try {
    return inflateRawSync(deflated, { maxOutputLength: limits.dicomInflatedBytes });
  } catch {
    throw new Undrawable('the data set cannot be inflated');
  }
}
