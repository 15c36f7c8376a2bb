import { type Encoding, encodingOf, LONG_VR, VRS } from '@lightbox/core/imaging/encoding.js';
import { damaged, type FileRejected } from './rejected.js';

/** The position at which the elements of a DICOM file begin. */
export interface DicomStart {
  at: number;
}

export const PREAMBLE = 128;
/** Number of bytes that decide how a file begins. */
export const START_BYTES = PREAMBLE + 4;
/** Elements of a data set without a header that must look right, as far as they lie within `START_BYTES`. */
const LOOKED_AT = 3;
/** Group 0008 begins with dates, UIDs and codes: its first values are short. */
const SHORT = 1024;

/** PS3.10 §7.1: a preamble of 128 bytes, then `DICM`. */
export const hasDicomPrefix = (head: Buffer): boolean =>
  head.length >= START_BYTES && head.toString('latin1', PREAMBLE, START_BYTES) === 'DICM';

/**
 * Returns how a DICOM file begins; null for bytes that are not DICOM. Scanners, archives and older programs also write
 * files without preamble, without prefix, or with nothing before the data set.
 */
export function dicomStart(head: Buffer): DicomStart | null {
  if (hasDicomPrefix(head)) return { at: START_BYTES };
  const at = head.toString('latin1', 0, 4) === 'DICM' ? 4 : 0;
  const bytes = head.subarray(at, START_BYTES);
  return isMeta(bytes) || isDataSet(bytes) ? { at } : null;
}

/** True for the first element of file meta information (PS3.10 §7.1): its group length, version or class. */
const isMeta = (bytes: Buffer): boolean =>
  bytes.length >= 8 && bytes.readUInt16LE(0) === 2 && bytes.readUInt16LE(2) <= 0x10 && VRS.has(vrOf(bytes));

/** True when the first elements are of group 0008, in the order of their tags. */
function isDataSet(bytes: Buffer): boolean {
  if (bytes.length < 8) return false;
  const encoding = encodingOf(bytes);
  let at = 0;
  let previous = -1;
  for (let n = 0; n < LOOKED_AT && at + 8 <= bytes.length; n++) {
    const [group, element] = [read16(bytes, at, encoding.big), read16(bytes, at + 2, encoding.big)];
    if (group !== 8 || element <= previous) return n > 0 && group > 8;
    const value = valueAfter(bytes, at, encoding);
    if (value === 'sequence') return true;
    if (!value || value.length > SHORT) return false;
    previous = element;
    at = value.at + value.length;
  }
  return true;
}

function valueAfter(
  bytes: Buffer,
  at: number,
  { implicit, big }: Encoding,
): { at: number; length: number } | 'sequence' | null {
  if (implicit) return { at: at + 8, length: bytes.readUInt32LE(at + 4) };
  const vr = vrOf(bytes, at);
  if (vr === 'SQ') return 'sequence';
  // Long values are binary or free text, which group 0008 does not begin with.
  return VRS.has(vr) && !LONG_VR.has(vr) ? { at: at + 8, length: read16(bytes, at + 6, big) } : null;
}

const vrOf = (bytes: Buffer, at = 0): string => bytes.toString('latin1', at + 4, at + 6);
const read16 = (bytes: Buffer, at: number, big: boolean): number =>
  big ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at);

/**
 * Throws unless the preamble is zero, or the TIFF header of a file that is both (PS3.10 §7.1): other bytes could make
 * the file valid in a second format. Some CT scanners write a stray flag after many zeros, which no other format begins
 * with.
 */
export function checkPreamble(preamble: Buffer): void {
  const tiff = ['49492a00', '4d4d002a', '49492b00', '4d4d002b'].includes(preamble.toString('hex', 0, 4));
  const leading = preamble.findIndex((byte) => byte !== 0);
  const marks = preamble.reduce((count, byte) => count + (byte === 0 ? 0 : 1), 0);
  if (!tiff && marks > 0 && (leading < 16 || marks > 4)) throw dangerous();
}

/** Returns the shortest possible header of a file (PS3.10 §7.1). */
export function partTen(transferSyntax: string): Buffer {
  const uid = Buffer.from(transferSyntax.padEnd(Math.ceil(transferSyntax.length / 2) * 2, '\0'), 'latin1');
  const element = Buffer.from([2, 0, 0x10, 0, 0x55, 0x49, uid.length, 0]);
  return Buffer.concat([Buffer.alloc(PREAMBLE), Buffer.from('DICM'), element, uid]);
}

const dangerous = (): FileRejected => damaged('The DICOM file begins with something that is not DICOM.');
