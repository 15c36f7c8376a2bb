import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program of this folder that compares what was made of each file with the file. */
interface Judge {
  program: string;
  /** Arguments after the two folders. */
  more?: readonly string[];
}

/**
 * Makes something of each file of a folder, in a folder that is deleted afterwards, and has all of it judged. `make`
 * returns the reason why there is nothing of a file, which is named. Returns the exit status of the judge.
 */
export async function judgeFiles(
  python: string,
  folder: string,
  { program, more = [] }: Judge,
  make: (name: string, out: string) => Promise<string | undefined>,
): Promise<number> {
  const out = mkdtempSync(join(tmpdir(), 'lightbox-fidelity-'));
  try {
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())) {
      const missing = await make(name, out);
      if (missing) console.log(`${name}: ${missing}`);
    }
    if (readdirSync(out).length === 0) throw new Error(`There is nothing to judge of the files of ${folder}.`);
    const path = join(import.meta.dirname, '../../src/fidelity', program);
    execFileSync(python, [path, folder, out, ...more], { stdio: 'inherit' });
    return 0;
  } catch (error) {
    if (error instanceof Error && 'status' in error) return 1;
    throw error;
  } finally {
    rmSync(out, { recursive: true });
  }
}
