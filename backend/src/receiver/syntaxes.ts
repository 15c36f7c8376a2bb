/** SOP class of C-ECHO (PS3.4 §A.4). */
export const VERIFICATION = '1.2.840.10008.1.1';

/** The storage SOP classes of the standard (PS3.4 §B.5). Their instances belong to a study. */
export const isStorage = (sopClass: string): boolean => /^1\.2\.840\.10008\.5\.1\.4\.1\.1\.[\d.]+$/.test(sopClass);

const UNCOMPRESSED = ['1.2.840.10008.1.2', '1.2.840.10008.1.2.1', '1.2.840.10008.1.2.1.99', '1.2.840.10008.1.2.2'];
const RLE = '1.2.840.10008.1.2.5';
/** Pixels behind an address (JPIP): the file would not have them. */
const REFERENCED = new Set(['94', '95', '204', '205']);

/** True for a transfer syntax whose files can be stored: those with their pixels in them (PS3.5 annex A). */
export function isTransferSyntax(uid: string): boolean {
  if (UNCOMPRESSED.includes(uid) || uid === RLE) return true;
  const encapsulated = /^1\.2\.840\.10008\.1\.2\.4\.(\d+(?:\.\d+)?)$/.exec(uid);
  return encapsulated !== null && !REFERENCED.has(encapsulated[1] ?? '');
}
