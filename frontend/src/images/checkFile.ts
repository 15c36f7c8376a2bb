import { acceptedExtensions, contentTypes } from '@lightbox/contract/images/schemas.js';

export type FileFault = 'size' | 'type';

const magics: readonly [at: number, bytes: readonly number[]][] = [
  [0, [0xff, 0xd8, 0xff]],
  [0, [0x89, 0x50, 0x4e, 0x47]],
  [0, [0x25, 0x50, 0x44, 0x46]],
  // DICM, after its preamble.
  [128, [0x44, 0x49, 0x43, 0x4d]],
];

async function looksRight(file: Blob): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 132).arrayBuffer());
  return magics.some(([at, bytes]) => bytes.every((byte, index) => head[at + index] === byte));
}

const isUnnamed = (type: string) => type === '' || type === 'application/octet-stream';

/**
 * What the specification says before anything is sent. The server decides by content; this spares a long wait for a
 * certain no. Scanners write DICOM without an ending: such a file is asked for its first bytes.
 */
export async function faultOf(file: File, maxBytes: number): Promise<FileFault | undefined> {
  const name = file.name.toLowerCase();
  const typed = (contentTypes as readonly string[]).includes(file.type);
  const named = acceptedExtensions.some((ending) => name.endsWith(ending));
  if (!typed && !named && !(isUnnamed(file.type) && (await looksRight(file)))) return 'type';
  return file.size > maxBytes ? 'size' : undefined;
}

/** What the preview beside the form can draw of it. */
export const kindOf = (file: File): 'picture' | 'pdf' | 'dicom' => {
  if (file.type === 'image/jpeg' || file.type === 'image/png') return 'picture';
  return file.type === 'application/pdf' || file.name.toLowerCase().endsWith('.pdf') ? 'pdf' : 'dicom';
};
