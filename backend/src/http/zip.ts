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
