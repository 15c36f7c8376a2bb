import type { Core } from '../core.js';
import { isSame } from '../keys/isSame.js';
import { BrokenArchive, readArchive } from './archiveFile.js';
import { readBase } from './base.js';
import { GENESIS } from './entry.js';
import type { Checkpoint } from './head.js';

/**
 * Verifies archives, the oldest first, and that they hold every entry before the log in the database. Returns the first
 * fault in words; null when there is none.
 */
export async function faultOfArchives({ models, keys }: Pick<Core, 'models' | 'keys'>, files: string[]) {
  let at: Checkpoint = { seq: 0, hash: GENESIS };
  for (const file of files) {
    try {
      const { after, ...end } = await readArchive(file, keys.audit, at.found);
      if (after.seq !== at.seq || !isSame(after.hash, at.hash))
        return `${file} begins after entry ${after.seq}, and the archives before it end at entry ${at.seq}.`;
      at = end;
    } catch (error) {
      if (error instanceof BrokenArchive) return `${file} is broken: ${error.message}`;
      throw error;
    }
  }
  const base = await readBase(models, keys.audit);
  if (base?.genuine && base.seq === at.seq && isSame(base.hash, at.hash)) return null;
  return `The archives end at entry ${at.seq}, and the log in the database begins after entry ${base?.seq ?? 0}.`;
}
