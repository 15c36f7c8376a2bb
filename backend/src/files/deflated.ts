import { finished } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';
import { limits } from '@lightbox/contract/limits.js';
import { DEFLATED } from '@lightbox/core/imaging/encoding.js';
import { partTen } from './dicomStart.js';
import { DicomWalker, EXPLICIT_LITTLE, type Walked } from './dicomWalker.js';
import { damaged, FileRejected, unreadableDicom } from './rejected.js';

/**
 * Follows a deflated data set (PS3.5 §A.5) while it streams past. It is inflated in a thread of Node's pool, piece by
 * piece: neither the packed nor the unpacked bytes are kept.
 */
export class DeflatedWalker {
  private readonly walker = new DicomWalker();
  private readonly inflater = createInflateRaw();
  private readonly inflated = finished(this.inflater);
  private packedBytes = 0;
  private unpackedBytes = 0;
  private failure: FileRejected | null = null;

  constructor() {
    this.walker.push(partTen(EXPLICIT_LITTLE));
    this.inflater.on('data', (chunk: Buffer) => this.follow(chunk));
    // `end` and the next `push` tell of it.
    this.inflated.catch((error: unknown) => {
      this.failure ??= error instanceof FileRejected ? error : unreadableDicom();
    });
  }

  /** Takes the next packed bytes. Throws FileRejected when the bytes before them were refused. */
  push(chunk: Buffer): void {
    if (this.failure) throw this.failure;
    this.packedBytes += chunk.length;
    // The readers of the stored file unpack it at once. Its packed bytes never need more than the unpacked ones may have.
    if (this.packedBytes > limits.dicomInflatedBytes) throw tooLarge();
    if (!this.inflater.readableEnded) this.inflater.write(Buffer.from(chunk));
  }

  /** Returns the header and the pixels, after the last `push`. Throws FileRejected. */
  async end(): Promise<Walked> {
    if (this.failure) throw this.failure;
    this.inflater.end();
    try {
      await this.inflated;
    } catch (error) {
      throw error instanceof FileRejected ? error : unreadableDicom();
    }
    return { ...this.walker.end(), transferSyntax: DEFLATED };
  }

  private follow(chunk: Buffer): void {
    try {
      this.unpackedBytes += chunk.length;
      if (this.unpackedBytes > limits.dicomInflatedBytes) throw tooLarge();
      this.walker.push(chunk);
    } catch (error) {
      this.inflater.destroy(error instanceof Error ? error : unreadableDicom());
    }
  }
}

const tooLarge = (): FileRejected => damaged('Too large when unpacked.');
