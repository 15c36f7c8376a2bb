import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Request } from 'express';
import { expect, it } from 'vitest';
import { end, part, related } from '../testing/dicomWeb.js';
import { partsOf } from './parts.js';

/** A request that arrives in these pieces. `sent`: how many of them were asked for. */
function arriving(pieces: number, piece: Buffer): { req: Request; sent: () => number } {
  let sent = 0;
  const body = function* () {
    for (; sent < pieces; sent++) yield piece;
    yield end;
  };
  const req = Object.assign(Readable.from(body()), { get: () => related });
  return { req: req as unknown as Request, sent: () => sent };
}

it('A request of many small parts is read no further while its parts wait to be stored.', async () => {
  const piece = Buffer.concat(Array<Buffer>(500).fill(part(Buffer.from('x'))));
  const { req, sent } = arriving(100, piece);
  let count = 0;
  for await (const _ of partsOf(req)) {
    if (++count === 1) for (let i = 0; i < 1_000; i++) await turn();
    // One piece is parsed, and the streams before the parser hold a few more.
    if (count <= 500) expect(sent()).toBeLessThan(30);
  }
  expect(count).toBe(100 * 500);
});

it('A part that is longer than all buffers is read to its end.', async () => {
  const long = Buffer.alloc(3_000_000, 7);
  const { req } = arriving(3, part(long));
  const lengths: number[] = [];
  for await (const { stream } of partsOf(req)) {
    let length = 0;
    for await (const chunk of stream) length += chunk.length;
    lengths.push(length);
  }
  expect(lengths).toEqual([long.length, long.length, long.length]);
});
