import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** On Linux, the files of this folder are in memory. */
const MEMORY = '/dev/shm';
/** The servers of three test files at once store less. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) >= ENOUGH_BYTES;
}

/** The folders in which test servers may store their data. */
export const places = [...(existsSync(MEMORY) ? [MEMORY] : []), tmpdir()];

/**
 * Creates a folder for the data of test servers, in memory if there is enough of it. On a disk, each confirmed write waits
 * until the disk has it, and several servers at once wait for each other.
 */
export const serverFolder = (prefix: string): string => mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), prefix));
