import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyOfDicom } from '@lightbox/core/deidentify/copy.js';
import { AppError } from '@lightbox/core/errors.js';
import { openPictures, type Pictures } from '@lightbox/workers/previews/preview.js';
import { BlackedOutFacts } from '@lightbox/workers/previews/protocol.js';
import { judgeFiles } from './judge.js';

const DISGUISE = { key: Buffer.alloc(32, 1), days: () => -1_000, cleaned: true };
/** Every picture has these pixels, if it has four of each side. */
const RECTANGLE = { x0: 1, y0: 1, x1: 3, y1: 4 };

/**
 * Blacks out a place in the DICOM files of a folder, and has the copies judged with pydicom: black in every frame, and
 * unchanged everywhere else. Returns the exit status of the judge. Names the files of which there is no copy.
 */
export async function judgeBlackOuts(python: string, folder: string): Promise<number> {
  const pictures = await openPictures(null);
  const judge = { program: 'blackOut.py', more: [JSON.stringify(RECTANGLE)] };
  return judgeFiles(python, folder, judge, async (name, out) => {
    const copy = await blackedOut(pictures, readFileSync(join(folder, name)));
    if (!copy) return 'no copy';
    writeFileSync(join(out, name), copy);
  }).finally(() => pictures.close());
}

/** Returns the copy as a worker writes it; null for a file whose pixels or header cannot be read. */
async function blackedOut(pictures: Pictures, file: Buffer): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  const done = await pictures.blackOut(file, 'application/dicom', [RECTANGLE], async (part) => {
    parts.push(Buffer.from(part));
  });
  const [first, ...pixels] = parts;
  if (!done || !first) return null;
  const facts = BlackedOutFacts.parse(JSON.parse(first.toString()));
  if (!('pixels' in facts)) return null;
  const source = { size: file.length, read: async (from: number, to: number) => file.subarray(from, to) };
  try {
    const disguise = { ...DISGUISE, noTextLeft: true, pixels: facts.pixels };
    const { parts: head, big } = await copyOfDicom(source, disguise);
    const all = Buffer.concat(pixels);
    const bits = facts.pixels.bitsAllocated;
    if (big && bits > 8) bits === 16 ? all.swap16() : all.swap32();
    return Buffer.concat([...head.filter((part) => Buffer.isBuffer(part)), all, Buffer.alloc(all.length % 2)]);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
