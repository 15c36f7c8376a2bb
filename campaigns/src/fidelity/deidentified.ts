import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyOfDicom } from '@lightbox/core/deidentify/copy.js';
import { AppError } from '@lightbox/core/errors.js';

/** Ships the table of the standard: the judge does not use the product's own. */
const PACKAGES = ['dicom-anonymizer==2.1.0'];

const DISGUISE = { key: Buffer.alloc(32, 1), days: () => -1_000 };

/**
 * De-identifies the DICOM files of a folder, and has the copies judged with pydicom, and with dciodvfy where that is
 * installed. Returns the exit status of the judge. Files that are no DICOM are named and left out.
 */
export async function judgeCopies(python: string, folder: string): Promise<number> {
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES], { stdio: 'inherit' });
  const out = mkdtempSync(join(tmpdir(), 'lightbox-copies-'));
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isFile()) await writeCopy(folder, out, entry.name);
    }
    execFileSync(python, [join(import.meta.dirname, '../../src/fidelity/deidentified.py'), folder, out], {
      stdio: 'inherit',
    });
    return 0;
  } catch (error) {
    if (error instanceof Error && 'status' in error) return 1;
    throw error;
  } finally {
    rmSync(out, { recursive: true });
  }
}

async function writeCopy(folder: string, out: string, name: string): Promise<void> {
  const original = readFileSync(join(folder, name));
  const source = { size: original.length, read: async (from: number, to: number) => original.subarray(from, to) };
  try {
    const { parts } = await copyOfDicom(source, DISGUISE);
    const bytes = parts.map((part) => (Buffer.isBuffer(part) ? part : original.subarray(part[0], part[1])));
    writeFileSync(join(out, name), Buffer.concat(bytes));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    console.log(`${name}: ${error.code}`);
  }
}
