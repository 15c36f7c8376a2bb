/** The transfer syntax of a deflated data set, which is explicit little endian when it is unpacked (PS3.5 §A.5). */
export const DEFLATED = '1.2.840.10008.1.2.1.99';

/** How the elements of a data set are encoded (PS3.5 §7.1, §7.3). */
export interface Encoding {
  implicit: boolean;
  big: boolean;
}

const SHORT_VR = 'AE AS AT CS DA DS DT FD FL IS LO LT PN SH SL SS ST TM UI UL US'.split(' ');
/** PS3.5 §7.1.2: VRs with two reserved bytes and a length of four; all others have a length of two. */
export const LONG_VR: ReadonlySet<string> = new Set('OB OD OF OL OV OW SQ SV UC UN UR UT UV'.split(' '));
export const VRS: ReadonlySet<string> = new Set([...SHORT_VR, ...LONG_VR]);

/**
 * Returns the encoding of the data set that begins at `at`, by its first element: files exist whose transfer syntax names
 * another one. Groups have small numbers, so the smaller reading of the group is the right one.
 */
export function encodingOf(bytes: Buffer, at = 0): Encoding {
  const implicit = !VRS.has(bytes.toString('latin1', at + 4, at + 6));
  return { implicit, big: !implicit && bytes.readUInt16BE(at) < bytes.readUInt16LE(at) };
}
