import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { wholeCopy } from '@lightbox/core/deidentify/change.js';
import { copyOfDicom } from '@lightbox/core/deidentify/copy.js';
import { AppError } from '@lightbox/core/errors.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { openPictures, type Pictures } from '@lightbox/workers/previews/preview.js';
import { BlackedOutFacts } from '@lightbox/workers/previews/protocol.js';
import { judgeFiles } from './judge.js';

const DISGUISE = { key: Buffer.alloc(32, 1), days: () => -1_000, cleaned: true };
/** Every picture has these pixels, if it has four of each side. */
const RECTANGLE = { x0: 1, y0: 1, x1: 3, y1: 4 };

/**
 * Judges copies by themselves, and then copies of studies as studies. Returns the exit status of the first judge that finds
 * a fault.
 */
export async function judgeBlackOuts(python: string, folder: string): Promise<number> {
  return (await judgeEach(python, folder)) || (await judgeStudies(python, folder));
}

/**
 * Copies every file of a folder and of those in it as the images of one study of copies: every second one with a black
 * place, the others as they are. The judge compares them across the files of each study.
 */
async function judgeStudies(python: string, folder: string): Promise<number> {
  const pictures = await openPictures(null);
  const all = mkdtempSync(join(tmpdir(), 'lightbox-studies-'));
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) copyFileSync(path, join(all, relative(folder, path).replaceAll(sep, '__')));
    }
    for (const n of [1, 2, 3, 4])
      writeFileSync(join(all, `phantom-${n}`), phantom({ instance: n, z: 3 * n, study: '14' }));
    let n = 0;
    return await judgeFiles(python, all, { program: 'blackOutStudy.py' }, async (name, out) => {
      const file = readFileSync(join(all, name));
      const copy = await (n++ % 2 ? asItIs(file) : blackedOut(pictures, file));
      if (copy) writeFileSync(join(out, name), copy);
      return undefined;
    });
  } finally {
    await pictures.close();
    rmSync(all, { recursive: true });
  }
}

/** Returns the copy of a file in which nothing is black; null for a file that has none. */
async function asItIs(file: Buffer): Promise<Buffer | null> {
  const source = { size: file.length, read: async (from: number, to: number) => file.subarray(from, to) };
  try {
    return wholeCopy(await copyOfDicom(source, { ...DISGUISE, noTextLeft: true }), file);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * Blacks out a place in the DICOM files of a folder, and has the copies judged with pydicom: black in every frame, and
 * unchanged everywhere else. Returns the exit status of the judge. Names the files of which there is no copy.
 */
async function judgeEach(python: string, folder: string): Promise<number> {
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
