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
 * limits throws before its bytes are stored.
 */
export async function* readFrames(stream: Readable, limits: FrameLimits): AsyncGenerator<Frame> {
  let parts: Buffer[] = [];
  let length = 0;
  let wanted: { header: number; body: number } | null = null;
  for await (const part of stream as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    while (length >= (wanted ? wanted.header + wanted.body : LENGTHS)) {
      const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
      let rest: Buffer;
      if (wanted) {
        const end = wanted.header + wanted.body;
        yield {
          header: JSON.parse(bytes.toString('utf8', 0, wanted.header)),
          body: bytes.subarray(wanted.header, end),
        };
        rest = bytes.subarray(end);
        wanted = null;
      } else {
        wanted = { header: bytes.readUInt32BE(0), body: bytes.readUInt32BE(4) };
        if (wanted.header > limits.header || wanted.body > limits.body) throw new Error('The frame is too large.');
        rest = bytes.subarray(LENGTHS);
      }
      parts = [rest];
      length = rest.length;
    }
  }
}
