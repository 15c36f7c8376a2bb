import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wholeCopy } from '@lightbox/core/deidentify/change.js';
import { copyOfDicom } from '@lightbox/core/deidentify/copy.js';
import { AppError } from '@lightbox/core/errors.js';
import { judgeFiles } from './judge.js';

/** Ships the table of the standard: the judge does not use the product's own. */
const PACKAGES = ['dicom-anonymizer==2.1.0'];

const DISGUISE = { key: Buffer.alloc(32, 1), days: () => -1_000 };

/**
 * De-identifies the DICOM files of a folder, and has the copies judged with pydicom, and with dciodvfy where that is
 * installed. Returns the exit status of the judge. Files that are no DICOM are named and left out.
 */
export async function judgeCopies(python: string, folder: string): Promise<number> {
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES], { stdio: 'inherit' });
  return judgeFiles(python, folder, { program: 'deidentified.py' }, (name, out) => writeCopy(folder, out, name));
}

async function writeCopy(folder: string, out: string, name: string): Promise<string | undefined> {
  const original = readFileSync(join(folder, name));
  const source = { size: original.length, read: async (from: number, to: number) => original.subarray(from, to) };
  try {
    writeFileSync(join(out, name), wholeCopy(await copyOfDicom(source, DISGUISE), original));
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code;
  }
}
