import { limits } from '@lightbox/contract/limits.js';
import {
  BlobReader,
  ERR_ENCRYPTED,
  ERR_INVALID_PASSWORD,
  type FileEntry,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-native.js';
import type { Source } from './sources';

/** The reasons for which a zip is not opened. */
export type ZipFault = 'damaged' | 'tooMany' | 'tooLarge' | 'suspicious';

export class ZipError extends Error {
  override readonly name = 'ZipError';
  constructor(readonly fault: ZipFault) {
    super(fault);
  }
}

export interface Zip {
  sources: Source[];
  /** True when a file in it needs a password. */
  encrypted: boolean;
  /** Sets the password of all files. Returns false for a wrong one. */
  unlock(password: string): Promise<boolean>;
}

/** Small zips may have any ratio: they cannot fill the memory. */
const harmlessBytes = 64 * 1024 ** 2;

/** Collects the unpacked bytes, at most `most`. An entry may be larger than the zip says. */
class Collector extends WritableStream<Uint8Array<ArrayBuffer>> {
  readonly parts: Uint8Array<ArrayBuffer>[] = [];
  constructor(most: number, onFull: () => void) {
    let size = 0;
    super({
      write: (part) => {
        if (size >= most) return;
        this.parts.push(part.subarray(0, most - size));
        size += part.length;
        if (size >= most) onFull();
      },
    });
  }
}

/** Unpacks an entry, or its first bytes. */
async function unpack(entry: FileEntry, most: number, password: string | undefined): Promise<Blob> {
  const stop = new AbortController();
  const collector = new Collector(most, () => stop.abort());
  const options = { useWebWorkers: false, checkOverlappingEntry: true, signal: stop.signal };
  try {
    await entry.getData(collector, { ...options, ...(password && { password }) });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  return new Blob(collector.parts);
}

/** Refuses what could fill the memory. The sizes are those that the zip itself says; `unpack` holds it to them. */
function judge(entries: FileEntry[], packed: number) {
  const bytes = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (bytes > limits.zipBytes) throw new ZipError('tooLarge');
  if (bytes > harmlessBytes && bytes / packed > limits.zipRatio) throw new ZipError('suspicious');
}

async function entriesOf(file: Blob, most: number): Promise<FileEntry[]> {
  const reader = new ZipReader(new BlobReader(file), { useWebWorkers: false });
  const found: FileEntry[] = [];
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      if (entry.directory) continue;
      if (found.length >= most) throw new ZipError('tooMany');
      found.push(entry);
    }
  } catch (error) {
    throw error instanceof ZipError ? error : new ZipError('damaged');
  }
  return found;
}

/** Some programs on Windows separate the folders by backslashes. */
const baseName = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/** Opens a zip on the disk without reading it into memory: its list of files now, each file when it is needed. */
export async function openZip(file: Blob, mostEntries: number = limits.zipEntries): Promise<Zip> {
  const entries = await entriesOf(file, mostEntries);
  judge(entries, file.size);
  let password: string | undefined;
  const locked = entries.find(({ encrypted }) => encrypted);
  return {
    encrypted: locked !== undefined,
    sources: entries.map((entry) => ({
      name: baseName(entry.filename),
      size: entry.uncompressedSize,
      head: (bytes) => unpack(entry, Math.min(bytes, entry.uncompressedSize), password),
      open: async () => {
        const whole = await unpack(entry, entry.uncompressedSize + 1, password);
        if (whole.size !== entry.uncompressedSize) throw new ZipError('damaged');
        return new File([whole], baseName(entry.filename));
      },
    })),
    async unlock(word) {
      try {
        await locked?.getData(new WritableStream(), { useWebWorkers: false, checkPasswordOnly: true, password: word });
        password = word;
        return true;
      } catch (error) {
        // The errors of zip.js have no code. To it, an empty password is none.
        if ([ERR_ENCRYPTED, ERR_INVALID_PASSWORD].includes((error as Error).message)) return false;
        throw new ZipError('damaged');
      }
    },
  };
}
