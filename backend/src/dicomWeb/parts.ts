import { EventEmitter, once } from 'node:events';
import { type Readable, Writable } from 'node:stream';
import { MIMEType } from 'node:util';
import { Dicer } from '@fastify/busboy';
import { AppError } from '@lightbox/core/errors.js';
import type { Request } from 'express';

/** A part of a request. Its stream fails when the request ends before it does. */
export interface IncomingPart {
  /** Without parameters; null when the part names none. */
  type: string | null;
  stream: Readable & AsyncIterable<Buffer>;
  /** The request ended before the part did. Final when the stream has ended. */
  broken: boolean;
}

/** Bytes of the headers of a part, and their number: more are dropped. */
const HEADER_BYTES = 8 * 1024;
const HEADERS = 32;
/** RFC 2046 allows 70 characters. Orthanc sends 73. */
const BOUNDARY = /^[\w'()+,./:=? -]{1,200}$/;

const malformed = (): AppError => new AppError('MALFORMED_UPLOAD');

/** Returns the boundary of a request of `multipart/related` with DICOM files. */
function boundaryOf(req: Request): string {
  const { essence, params } = typeOf(req.get('content-type')) ?? {};
  const type = params?.get('type')?.toLowerCase() ?? 'application/dicom';
  if (essence !== 'multipart/related' || type !== 'application/dicom') throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  const boundary = params?.get('boundary') ?? '';
  if (!BOUNDARY.test(boundary)) throw malformed();
  return boundary;
}

function typeOf(text: string | undefined): MIMEType | null {
  try {
    return new MIMEType(text ?? '');
  } catch {
    return null;
  }
}

/**
 * Yields the parts of a request as they arrive, and reads no further while some of them wait. Each must be read before the
 * next one is asked for; what is left of it is dropped. Throws `MALFORMED_UPLOAD` when the request ends before its last boundary.
 */
export async function* partsOf(req: Request): AsyncGenerator<IncomingPart> {
  const parser = new Dicer({
    boundary: boundaryOf(req),
    maxHeaderPairs: HEADERS,
    maxHeaderSize: HEADER_BYTES,
  } as never);
  const arrived: IncomingPart[] = [];
  const news = new EventEmitter();
  let state = 'open' as 'open' | 'ended' | 'failed';
  const settle = (now: 'ended' | 'failed') => {
    if (state === 'open') state = now;
    news.emit('news');
  };
  // The parser makes a stream for each part at once. Without a wait, a body of tiny parts would become streams of many times
  // its size, while each part waits to be stored.
  const feeder = new Writable({
    write(chunk, encoding, done) {
      parser.write(chunk, encoding, () => {
        if (arrived.length === 0) done();
        else news.once('taken', () => done());
      });
    },
    final(done) {
      parser.end(done);
    },
  });
  const fail = () => {
    req.unpipe(feeder);
    // Read and drop the rest of the request, or the client would never read the answer.
    req.resume();
    settle('failed');
  };
  parser.on('part', (part) => {
    const incoming: IncomingPart = { type: null, stream: part as unknown as IncomingPart['stream'], broken: false };
    // A part that waits for its turn has no reader yet to whom the error could be thrown.
    part.on('error', () => {
      incoming.broken = true;
    });
    part.on('header', (headers: object) => {
      const [type] = (headers as Record<string, string[]>)['content-type'] ?? [];
      arrived.push(Object.assign(incoming, { type: type === undefined ? null : (typeOf(type)?.essence ?? '') }));
      news.emit('news');
    });
  });
  parser.on('error', fail);
  parser.on('finish', () => settle('ended'));
  // The parser then finds that the end is missing, and tells it to whoever reads a part.
  const cutOff = () => {
    req.unpipe(feeder);
    parser.end();
  };
  req.once('aborted', cutOff);
  req.once('error', cutOff);
  req.pipe(feeder);
  try {
    for (;;) {
      const part = arrived.shift();
      if (part) {
        if (arrived.length === 0) news.emit('taken');
        yield part;
        await drained(part.stream);
      } else if (state === 'failed') throw malformed();
      else if (state === 'ended') return;
      else await once(news, 'news');
    }
  } finally {
    if (state === 'open') fail();
    for (const { stream } of arrived) stream.resume();
  }
}

/** Reads and drops what is left of a part. */
async function drained(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return;
  const ended = new Promise<void>((resolve) => {
    stream
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
  });
  stream.resume();
  await ended;
}
