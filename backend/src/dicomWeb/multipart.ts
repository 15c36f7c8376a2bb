import { randomUUID } from 'node:crypto';

/** A part of an answer. Its bytes are read when its turn comes. */
export interface Part {
  type: string;
  length: number;
  read: () => AsyncIterable<Buffer>;
}

interface Multipart {
  headers: Record<string, string>;
  chunks: AsyncGenerator<Buffer | string>;
}

/** Returns a body of `multipart/related` (RFC 2387) whose parts follow each other as they are read. */
export function multipartOf(parts: readonly Part[]): Multipart {
  const boundary = randomUUID();
  const head = ({ type }: Part) => `--${boundary}\r\nContent-Type: ${type}\r\n\r\n`;
  const end = `--${boundary}--\r\n`;
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(head(part)) + part.length + 2, end.length);
  const [type = 'application/octet-stream'] = (parts[0]?.type ?? '').split(';', 1);
  async function* chunks() {
    for (const part of parts) {
      yield head(part);
      yield* part.read();
      yield '\r\n';
    }
    yield end;
  }
  return {
    headers: {
      'Content-Type': `multipart/related; type="${type}"; boundary=${boundary}`,
      'Content-Length': String(length),
    },
    chunks: chunks(),
  };
}
