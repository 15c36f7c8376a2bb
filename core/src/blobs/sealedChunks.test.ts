import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CHUNK, openChunk } from './cipher.js';
import { sealedChunks } from './sealedChunks.js';
import { UploadTurns } from './uploadTurns.js';

const key = randomBytes(32);
const NEVER_MS = 3_600_000;

/** A sender whose bytes come when the test says so. `asked`: how often it was asked for more. */
class Sender implements AsyncIterable<Buffer> {
  asked = 0;
  private readonly parts: (Buffer | null)[] = [];
  private wake: () => void = () => undefined;

  send(part: Buffer | null): this {
    this.parts.push(part);
    this.wake();
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      this.asked++;
      while (this.parts.length === 0) {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
      const part = this.parts.shift();
      if (!part) return;
      yield part;
    }
  }
}

/** Takes the chunks of a blob as a store does, and opens them at the end. */
async function receive(sender: AsyncIterable<Buffer>, turns: UploadTurns): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of sealedChunks(key, sender, turns)) {
    await chunk.store(async (sealed, index) => {
      expect(index).toBe(chunks.length);
      chunks.push(Buffer.from(sealed));
    });
  }
  return Buffer.concat(chunks.map((sealed, i) => openChunk(key, i, i === chunks.length - 1, sealed)));
}

const sent = (bytes: Buffer, size = 65_536): Sender => {
  const sender = new Sender();
  for (let at = 0; at < bytes.length; at += size) sender.send(bytes.subarray(at, at + size));
  return sender.send(null);
};

describe('chunks of uploads', () => {
  it.each([
    [0, 65_536],
    [1, 65_536],
    [CHUNK, 65_536],
    [CHUNK + 1, 1_000],
    [2 * CHUNK + 77, 3 * CHUNK],
  ])('Of %i bytes in parts of %i, none is lost or doubled.', async (size, part) => {
    const bytes = randomBytes(size);
    const turns = new UploadTurns(1, NEVER_MS);
    expect((await receive(sent(bytes, part), turns)).equals(bytes)).toBe(true);
    // The only turn is free again.
    expect((await receive(sent(bytes, part), turns)).equals(bytes)).toBe(true);
  });

  it('While all turns are taken, an upload is not read further than its first part.', async () => {
    const turns = new UploadTurns(1, NEVER_MS);
    const first = new Sender().send(Buffer.from('one'));
    const firstDone = receive(first, turns);
    await expect.poll(() => first.asked).toBe(2);
    const second = new Sender().send(Buffer.from('a')).send(Buffer.from('b'));
    const secondDone = receive(second, turns);
    for (let i = 0; i < 100; i++) await turn();
    expect(second.asked).toBe(1);
    first.send(null);
    expect(String(await firstDone)).toBe('one');
    second.send(null);
    expect(String(await secondDone)).toBe('ab');
  });

  it('A slow sender loses its turn, and takes none for its next chunk.', async () => {
    const turns = new UploadTurns(1, 20);
    const slow = new Sender().send(Buffer.from('slow'));
    const slowDone = receive(slow, turns);
    const bytes = randomBytes(2 * CHUNK);
    expect((await receive(sent(bytes), turns)).equals(bytes)).toBe(true);
    const rest = randomBytes(CHUNK);
    slow.send(rest);
    await expect.poll(() => slow.asked).toBe(3);
    expect((await receive(sent(bytes), turns)).equals(bytes)).toBe(true);
    slow.send(null);
    expect((await slowDone).equals(Buffer.concat([Buffer.from('slow'), rest]))).toBe(true);
  });

  it('An upload that breaks off ends its turn.', async () => {
    const turns = new UploadTurns(1, NEVER_MS);
    async function* broken() {
      yield randomBytes(CHUNK + 5);
      throw new Error('broken off');
    }
    for (let i = 0; i < 3; i++) await expect(receive(broken(), turns)).rejects.toThrow('broken off');
    for (let i = 0; i < 3; i++) {
      // The store fails before it takes the chunk over.
      const chunks = sealedChunks(key, sent(randomBytes(3 * CHUNK)), turns);
      expect(await chunks.next()).toMatchObject({ done: false });
      await chunks.return(undefined);
    }
  });
});
