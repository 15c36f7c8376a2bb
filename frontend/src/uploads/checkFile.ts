export type FileFault = 'size' | 'type' | 'empty';

const magics: readonly [at: number, bytes: readonly number[]][] = [
  [0, [0xff, 0xd8, 0xff]],
  [0, [0x89, 0x50, 0x4e, 0x47]],
  [0, [0x25, 0x50, 0x44, 0x46]],
  // "DICM", after the preamble of a DICOM file.
  [128, [0x44, 0x49, 0x43, 0x4d]],
];

async function looksRight(file: Blob): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 132).arrayBuffer());
  return magics.some(([at, bytes]) => bytes.every((byte, index) => head[at + index] === byte));
}

/**
 * Checks the first bytes and the size before the upload, to save the wait for a certain refusal. The name does not
 * count: scanners write DICOM files without an extension. Files named as DICOM are left to the server, because some
 * have no preamble.
 */
export async function faultOf(file: File, maxBytes: number): Promise<FileFault | undefined> {
  if (file.size === 0) return 'empty';
  if (file.size > maxBytes) return 'size';
  const named = file.type === 'application/dicom' || /\.(dcm|dicom)$/i.test(file.name);
  return named || (await looksRight(file)) ? undefined : 'type';
}

/** Returns the kind of preview for a file. */
export const kindOf = (file: File): 'picture' | 'pdf' | 'dicom' => {
  if (file.type === 'image/jpeg' || file.type === 'image/png') return 'picture';
  return file.type === 'application/pdf' || file.name.toLowerCase().endsWith('.pdf') ? 'pdf' : 'dicom';
};
