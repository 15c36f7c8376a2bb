import { CHUNK, sealChunk } from './cipher.js';
import { leftovers } from './leftovers.js';
import { type Turn, UploadTurns } from './uploadTurns.js';

/** A chunk that is sealed. */
export interface SealedChunk {
  /** Bytes with the tag. */
  length: number;
  /** Lets somebody store it. Its bytes are valid until then. */
  store: (put: (sealed: Buffer, index: number) => Promise<void>) => Promise<void>;
}

const shared = new UploadTurns();

/**
 * Cuts a stream into chunks of one size, and seals each in the space in which it was gathered: the parts of a request are
 * free at once. A full chunk waits for the next byte, because only the end shows which chunk is the last. A caller that asks
 * for the next chunk has begun to store the one before.
 */
export async function* sealedChunks(
  key: Buffer,
  plain: AsyncIterable<Buffer>,
  turns = shared,
): AsyncGenerator<SealedChunk> {
  let turn = null as Turn | null;
  /** A turn that ends when its last chunk is stored. */
  let ending = null as Turn | null;
  let isSlow = false;
  let space = null as Buffer | null;
  let length = 0;
  let count = 0;

  const begin = async (): Promise<Buffer> => {
    if (turn?.lost) {
      isSlow = true;
      turn = null;
    }
    if (!isSlow) turn ??= await turns.take();
    length = 0;
    return turns.space();
  };
  const seal = (bytes: Buffer, last: boolean): SealedChunk => {
    leftovers.add();
    const index = count++;
    const sealed = sealChunk(key, index, last, bytes.subarray(0, length), bytes);
    if (turn && (turn.isOver() || last)) {
      turn.gathered();
      ending = turn;
      turn = null;
    }
    const ends = ending;
    return {
      length: sealed.length,
      store: async (put) => {
        const sent = leftovers.sending();
        try {
          await put(sealed, index);
          // Not after a fault: the store may still hold the bytes.
          turns.reuse(bytes);
        } finally {
          sent();
          ends?.end();
        }
      },
    };
  };

  try {
    for await (const part of plain) {
      turn?.goesOn();
      for (let from = 0; from < part.length; ) {
        if (space && length === CHUNK) {
          yield seal(space, false);
          ending = null;
          space = null;
        }
        space ??= await begin();
        const copied = part.copy(space, length, from, from + CHUNK - length);
        from += copied;
        length += copied;
      }
      turn?.waits();
    }
    yield seal(space ?? (await begin()), true);
    ending = null;
  } finally {
    turn?.end();
    ending?.end();
  }
}
