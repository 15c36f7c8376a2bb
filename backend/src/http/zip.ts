import { type PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ZipEntry {
  name: string;
  size: number;
  at: Date;
  read: () => AsyncGenerator<Buffer>;
}

/**
 * Returns a zip of these files and its length. Files are stored as they are, and read one after the other while the zip
 * is sent. Beyond 4 GB the zip is a zip64.
 */
export async function zipOf(entries: ZipEntry[]): Promise<{ length: number; chunks: AsyncGenerator<Buffer> }> {
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  zip.on('error', (error) => output.destroy(error));
  let current: Readable | null = null;
  for (const { name, size, at, read } of entries) {
    zip.addReadStreamLazy(name, { size, mtime: at, compress: false }, (begin) => {
      current = Readable.from(read());
      current.on('error', (error) => output.destroy(error));
      begin(null, current);
    });
  }
  const length = await new Promise<number>((resolve) => {
    // The types of the library leave the number out.
    zip.end(undefined, resolve as () => void);
  });
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      yield* output;
    } finally {
      // A reader who goes away early leaves a file open.
      current?.destroy();
      output.destroy();
    }
  }
  return { length, chunks: chunks() };
}

/** A file of unknown length, or of a known one. */
export interface StreamedEntry extends Omit<ZipEntry, 'size' | 'read'> {
  size?: number;
  read: () => AsyncGenerator<Buffer | string>;
}

/**
 * Streams a zip of files that are asked for one after the other: the next one when the one before is sent. So neither
 * their number nor their length has to be known, and one file is open at a time. When the reader goes away the open file
 * is closed, and no further one is asked for.
 */
export async function* zipAsItComes(entries: AsyncIterable<StreamedEntry>): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  zip.on('error', (error) => output.destroy(error));
  const sending: { file?: Readable; isOver: boolean } = { isOver: false };
  const addAll = async () => {
    for await (const entry of entries) {
      if (sending.isOver) return;
      await addOne(zip, entry, (file) => {
        sending.file = file;
      });
    }
    zip.end();
  };
  addAll().catch((error) => output.destroy(error));
  try {
    yield* output;
  } finally {
    sending.isOver = true;
    sending.file?.destroy();
    output.destroy();
  }
}

const addOne = (zip: ZipFile, { name, size, at, read }: StreamedEntry, onOpen: (file: Readable) => void) =>
  new Promise<void>((resolve, reject) => {
    const options = { mtime: at, compress: false, ...(size === undefined ? {} : { size }) };
    zip.addReadStreamLazy(name, options, (begin) => {
      const file = Readable.from(read());
      onOpen(file);
      file.on('error', reject);
      file.on('close', () => resolve());
      begin(null, file);
    });
  });
