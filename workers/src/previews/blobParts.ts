import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { WrittenBlob } from '@lightbox/core/blobs/store.js';
import type { Core } from '@lightbox/core/core.js';
import { newId } from '@lightbox/core/db/ids.js';
import { PartAway } from '@lightbox/core/process/partAway.js';

export interface StoredParts {
  written: WrittenBlob;
  key: Buffer;
  size: number;
}

/**
 * Writes bytes into a blob of their own while they arrive from a renderer. Without bytes there is no blob. Bytes that would
 * touch the disk reserve wait, as for a part that is away: a database whose disk is full ends itself.
 */
export class BlobParts {
  private readonly key = randomBytes(32);
  private size = 0;
  private stream: PassThrough | null = null;
  private written: Promise<WrittenBlob> | null = null;
  private isAbandoned = false;
  /** The bytes could not be stored: a fault of the blobs' place, and none of the file or its renderer. */
  isRefused = false;

  constructor(
    private readonly core: Core,
    private readonly maxBytes: number,
  ) {}

  async add(part: Buffer): Promise<void> {
    this.size += part.length;
    if (part.length === 0 || this.size > this.maxBytes) throw new Error('The renderer sent other parts than it may.');
    const giveBack = await this.core.diskReserve.take(part.length);
    if (!giveBack) throw new PartAway('The disk has no space but its reserve.');
    try {
      const stream = this.begin();
      if (!stream.write(part)) await Promise.race([once(stream, 'drain'), this.written]);
    } finally {
      giveBack();
    }
  }

  async end(): Promise<StoredParts | null> {
    this.stream?.end();
    return this.written && { written: await this.written, key: this.key, size: this.size };
  }

  /** Waits until nothing of the blob is left. */
  async abandon(reason: Error): Promise<void> {
    this.isAbandoned = true;
    this.stream?.destroy(reason);
    await this.written?.then(
      ({ id }) => this.core.blobs.delete(id),
      () => undefined,
    );
  }

  private begin(): PassThrough {
    if (this.stream) return this.stream;
    this.stream = new PassThrough();
    // The store reports errors of the stream.
    this.stream.on('error', () => undefined);
    this.written = this.core.blobs.write(newId(this.core.clock.now()), this.key, this.stream);
    this.written.catch(() => {
      this.isRefused = !this.isAbandoned;
    });
    return this.stream;
  }
}
