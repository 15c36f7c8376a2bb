import { type DicomHead, looksLikeDicom, readDicomHead } from './dicomHead';
import { sha256Of } from './sha256';

/** The kind of a file, by its first bytes. */
export type Kind = 'dicom' | 'picture' | 'pdf' | 'zip' | 'other';

export interface FileHead {
  kind: Kind;
  dicom?: DicomHead | undefined;
}

const magics: readonly [kind: Kind, bytes: readonly number[]][] = [
  ['picture', [0xff, 0xd8, 0xff]],
  ['picture', [0x89, 0x50, 0x4e, 0x47]],
  ['pdf', [0x25, 0x50, 0x44, 0x46]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
];

function readHead(bytes: Uint8Array): FileHead {
  const found = magics.find(([, magic]) => magic.every((byte, at) => bytes[at] === byte));
  if (found) return { kind: found[0] };
  if (!looksLikeDicom(bytes)) return { kind: 'other' };
  return { kind: 'dicom', dicom: readDicomHead(bytes) };
}

/** The work that the reading worker does, by its name. */
export const acts = {
  head: async (blob: Blob): Promise<FileHead> => readHead(new Uint8Array(await blob.arrayBuffer())),
  hash: sha256Of,
};
export type Acts = typeof acts;

export interface Asked {
  id: number;
  act: keyof Acts;
  blob: Blob;
}
export type Answered = { id: number; value: unknown } | { id: number; failed: string };
