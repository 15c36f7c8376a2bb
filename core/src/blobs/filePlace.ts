import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from '../process/syncFolder.js';
import { ChunkExists, type ChunkPlace } from './chunkedStore.js';

/** The first digits of an id are a time of about an hour: a folder holds the blobs of one hour. */
const HOUR_DIGITS = 5;

/** Keeps chunks as files in a folder of one machine: `<hour>/<id>/<number>`. */
export class FilePlace implements ChunkPlace {
  readonly name = 'file';

  private readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  async put(id: string, index: number, sealed: Buffer): Promise<void> {
    const folder = this.folderOf(id);
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    // The first folder that was made may be the one of the hour, or the root.
    if (made) for (let at = folder; at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at));
    const incoming = join(folder, `.${randomUUID()}`);
    try {
      const file = await open(incoming, 'wx', 0o600);
      try {
        await file.writeFile(sealed);
        await file.sync();
      } finally {
        await file.close();
      }
      // Unlike a rename, a link fails when the name is taken.
      await link(incoming, join(folder, String(index)));
      await syncFolder(folder);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw new ChunkExists(`Blob ${id} has a chunk ${index}.`);
      throw error;
    } finally {
      await rm(incoming, { force: true });
    }
  }

  get(id: string, index: number): Promise<Buffer | null> {
    return orNone(readFile(join(this.folderOf(id), String(index))), null);
  }

  async list(id: string): Promise<number[]> {
    const names = await orNone(readdir(this.folderOf(id)), []);
    return names.filter((name) => /^\d+$/.test(name)).map(Number);
  }

  async remove(id: string): Promise<void> {
    await rm(this.folderOf(id), { recursive: true, force: true });
  }

  async between(after: string, end: string, limit: number): Promise<string[]> {
    const found: string[] = [];
    const hours = (await orNone(readdir(this.root), [])).filter((name) => /^[0-9a-f]{5}$/.test(name)).sort();
    for (const hour of hours) {
      if (hour < after.slice(0, HOUR_DIGITS) || hour > end.slice(0, HOUR_DIGITS)) continue;
      const ids = (await orNone(readdir(join(this.root, hour)), [])).sort();
      found.push(...ids.filter((id) => /^[0-9a-f]{24}$/.test(id) && id > after && id < end));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  private folderOf(id: string): string {
    return join(this.root, id.slice(0, HOUR_DIGITS), id);
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

const orNone = <T>(work: Promise<T>, none: T): Promise<T> =>
  work.catch((error) => {
    if (codeOf(error) === 'ENOENT') return none;
    throw error;
  });
