import { limits } from '@lightbox/contract/limits.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { oid } from '@lightbox/core/db/ids.js';
import { headForBlackedOut } from '@lightbox/core/deidentify/copy.js';
import { AppError } from '@lightbox/core/errors.js';
import { blackOutContext } from '@lightbox/core/images/blackOuts.js';
import { seal } from '@lightbox/core/keys/seal.js';
import type { BlackOutDoc } from '@lightbox/core/models/blackOut.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { z } from 'zod';
import type { JobContext } from '../jobContext.js';
import { readImage } from '../readImage.js';
import { BlobParts, type StoredParts } from './blobParts.js';
import type { Pictures } from './preview.js';
import { BlackedOutFacts } from './protocol.js';

/**
 * Makes the bytes of a copy without identity in which rectangles are black, once. The renderer makes the pixels, and this
 * process the header. Does nothing when the original was deleted meanwhile.
 */
export async function makeBlackOut(
  core: Core,
  pictures: Pick<Pictures, 'blackOut'>,
  blackOutId: string,
  { isLastAttempt }: Pick<JobContext, 'isLastAttempt'>,
): Promise<void> {
  const { BlackOut, Image } = core.models;
  const asked = await BlackOut.findById(oid(blackOutId)).lean<BlackOutDoc>();
  if (!asked || asked.made || asked.failed) return;
  const image = await Image.findById(asked.image).lean<ImageDoc>();
  if (!image) return;
  const made = await make(core, pictures, image, asked).catch((error) => {
    // A header that cannot be followed stays so.
    if (!(error instanceof AppError) && (!isLastAttempt || isAway(error))) throw error;
    return null;
  });
  const key = unwrapDataKey(core.keys.images, String(image._id), image.dataKey);
  const outcome = made
    ? { made: { blob: made.written.id, size: made.size, key: seal(key, blackOutContext(asked), made.key) } }
    : { failed: true };
  // No upsert: the record is gone when the original was deleted.
  const stored = await BlackOut.updateOne({ _id: asked._id, made: { $exists: false } }, { $set: outcome });
  if (made && stored.modifiedCount !== 1) await core.blobs.delete(made.written.id);
}

/** Tells the person who waits that the job is given up. */
export const giveUpBlackOut = ({ models }: Core, blackOutId: string) =>
  models.BlackOut.updateOne({ _id: oid(blackOutId), made: { $exists: false } }, { $set: { failed: true } });

async function make(
  core: Core,
  pictures: Pick<Pictures, 'blackOut'>,
  image: ImageDoc,
  { rectangles, copyId, study = copyId, noTextLeft }: BlackOutDoc,
): Promise<StoredParts | null> {
  const parts = new BlobParts(core, limits.plainBytes);
  const file = new Incoming(parts, (pixels) =>
    headForBlackedOut(core, image, String(study), { ...pixels, noTextLeft }),
  );
  try {
    const bytes = await readImage(core, image);
    const done = await pictures.blackOut(bytes, image.contentType, rectangles, (part) => file.add(part));
    if (done && (await file.isWhole())) return await parts.end();
    await parts.abandon(new Error('The pixels cannot be read.'));
    return null;
  } catch (error) {
    await parts.abandon(error as Error);
    throw error;
  }
}

type Facts = z.infer<typeof BlackedOutFacts>;
type Pixels = Extract<Facts, { pixels: unknown }>['pixels'];

/** The parts of a file as they come from the renderer: facts, and then as many bytes as they say. */
class Incoming {
  private facts: Facts | null = null;
  private missing = 0;
  private big = false;

  constructor(
    private readonly parts: BlobParts,
    private readonly headOf: (pixels: Pixels) => Promise<{ head: Buffer; big: boolean }>,
  ) {}

  async add(part: Buffer): Promise<void> {
    if (!this.facts) return this.begin(BlackedOutFacts.parse(JSON.parse(part.toString())));
    this.missing -= part.length;
    if (this.missing < 0) throw new Error('The renderer sent more than it said.');
    await this.parts.add(this.big ? this.swapped(part) : part);
  }

  /** True when all bytes are there. Adds the padding of an odd number of them (PS3.5 §8.1.1). */
  async isWhole(): Promise<boolean> {
    if (!this.facts || this.missing !== 0) return false;
    if ('pixels' in this.facts && this.facts.pixels.length % 2 === 1) await this.parts.add(Buffer.alloc(1));
    return true;
  }

  private async begin(facts: Facts): Promise<void> {
    this.facts = facts;
    if ('picture' in facts) {
      this.missing = facts.picture.length;
      return;
    }
    const { head, big } = await this.headOf(facts.pixels);
    this.big = big;
    this.missing = facts.pixels.length;
    await this.parts.add(head);
  }

  private swapped(part: Buffer): Buffer {
    const bits = this.facts && 'pixels' in this.facts ? this.facts.pixels.bitsAllocated : 8;
    return bits === 16 ? part.swap16() : bits === 32 ? part.swap32() : part;
  }
}
