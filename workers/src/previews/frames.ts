import type { Readable, Writable } from 'node:stream';

/** A request to a renderer or its answer: a small JSON header and raw bytes. */
export interface Frame {
  header: unknown;
  body: Buffer;
}

export interface FrameLimits {
  header: number;
  body: number;
}

/** Bytes of the two lengths before each frame: header and body, each 32-bit big endian. */
const LENGTHS = 8;

/** Writes a frame. Resolves when the stream has accepted it, and rejects when the stream fails. */
export function writeFrame(stream: Writable, header: object, body: Uint8Array = new Uint8Array()): Promise<void> {
  const text = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  stream.write(Buffer.concat([lengths, text]));
  return new Promise((resolve, reject) => stream.write(body, (error) => (error ? reject(error) : resolve())));
}

/**
 * Yields each frame of a stream until it ends. The other side may be hostile: only JSON is parsed, and a frame beyond the
 * limits throws before its bytes are stored. A body is collected in one buffer, so a file is in memory once.
 */
export async function* readFrames(stream: Readable, limits: FrameLimits): AsyncGenerator<Frame> {
  let lengths = new Filling(LENGTHS);
  let header: Filling | null = null;
  let body: Filling | null = null;
  for await (const part of stream as AsyncIterable<Buffer>) {
    let rest = part;
    do {
      const into: Filling = body ?? header ?? lengths;
      rest = into.take(rest);
      if (!into.isFull) break;
      if (!header) {
        const [headerLength, bodyLength] = [lengths.bytes.readUInt32BE(0), lengths.bytes.readUInt32BE(4)];
        if (headerLength > limits.header || bodyLength > limits.body) throw new Error('The frame is too large.');
        header = new Filling(headerLength);
      } else if (!body) {
        body = new Filling(lengths.bytes.readUInt32BE(4));
      }
      if (body?.isFull) {
        yield { header: JSON.parse(header.bytes.toString()), body: body.bytes };
        lengths = new Filling(LENGTHS);
        header = null;
        body = null;
      }
    } while (rest.length > 0);
  }
}

/** A buffer that is filled from the parts of a stream. */
class Filling {
  readonly bytes: Buffer;
  private filled = 0;

  constructor(length: number) {
    this.bytes = Buffer.allocUnsafeSlow(length);
  }

  get isFull(): boolean {
    return this.filled === this.bytes.length;
  }

  /** Takes the bytes that are missing, and returns the others. */
  take(part: Buffer): Buffer {
    const used = part.copy(this.bytes, this.filled);
    this.filled += used;
    return part.subarray(used);
  }
}
