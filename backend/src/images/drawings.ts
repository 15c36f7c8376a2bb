import { setTimeout as sleep } from 'node:timers/promises';
import type { TagRow } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import { type Drawing, drawingContext, tagsContext } from '@lightbox/core/imaging/drawing.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { DrawingDoc } from '@lightbox/core/models/drawing.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { JobRequest } from '@lightbox/core/queues/queues.js';
import type { Request } from 'express';
import type { Gateway } from '../context.js';

const POLL_MS = 100;
const RETRY_SECONDS = 2;

/** Returns the error for a file that a worker has not drawn yet. */
export const pending = (): AppError => new AppError('PREVIEW_PENDING', { retryAfterSeconds: RETRY_SECONDS });

/** Calls `find` until it finds something; null when that takes too long or the client has gone. */
export async function until<T>(
  { clock }: Pick<Gateway, 'clock'>,
  req: Request,
  seconds: number,
  find: () => Promise<T | null>,
): Promise<T | null> {
  const end = clock.now().getTime() + seconds * 1_000;
  for (;;) {
    const found = await find();
    if (found || req.socket.destroyed || clock.now().getTime() > end) return found;
    await sleep(POLL_MS);
  }
}

/**
 * Asks for the drawing of an image that has none: it was just stored, an older version stored it, or its job was lost.
 * False when no worker has drawn it in time.
 */
export async function untilDrawn(gateway: Gateway, image: ImageDoc, req: Request): Promise<boolean> {
  await askForDrawings(gateway, [image], { awaited: true });
  const drawn = await until(
    gateway,
    req,
    limits.drawingSeconds,
    async () => (await gateway.isDrawn(image._id)) || null,
  );
  return drawn !== null;
}

/**
 * Adds jobs for drawings. The job of the upload may still wait in the queue: an awaited one is added beside it and comes
 * first, and the later of the two does nothing. While Redis is away the sweeper adds the jobs of new images later.
 */
export async function askForDrawings(
  { queues, warn }: Gateway,
  images: Pick<ImageDoc, '_id'>[],
  { awaited }: { awaited: boolean },
): Promise<void> {
  const jobs = images.map(({ _id }): JobRequest<'renderPreview'> => {
    const once = `${awaited ? 'await' : 'draw'}-${_id}`;
    return { name: 'renderPreview', data: { imageId: String(_id) }, once, awaited };
  });
  await queues.add(jobs).catch((error) => warn(error, 'a drawing could not be asked for'));
}

/** The work of a worker that the frames of an image come from. */
export interface Made {
  drawing: Drawing;
  plain?: DrawingDoc['plain'];
}

/** The fields of an image that opening takes. */
type Sealing = Pick<ImageDoc, '_id' | 'dataKey'>;

/** Something that a worker made of an image and sealed: it is read by the image's id, and opened with its key. */
export interface Sealed<Doc, T> {
  read: (gateway: Gateway, id: ObjectId) => Promise<Doc | null>;
  open: (gateway: Gateway, image: Sealing, doc: Doc) => T;
}

export const drawings: Sealed<Pick<DrawingDoc, 'drawing'> & Partial<Pick<DrawingDoc, 'plain'>>, Made> = {
  read: ({ models }, id) => models.Drawing.findById(id, { drawing: 1, plain: 1 }).readConcern(NEWEST).lean().exec(),
  open: (gateway, image, { drawing, plain }) => ({ drawing: openJson(gateway, image, drawingContext, drawing), plain }),
};

export const tags: Sealed<Pick<DrawingDoc, 'tags'>, TagRow[]> = {
  read: ({ models }, id) => models.Drawing.findById(id, { tags: 1 }).readConcern(NEWEST).lean().exec(),
  open: (gateway, image, doc) => openJson(gateway, image, tagsContext, doc.tags),
};

/** Opens a value that a worker sealed after it had checked its shape. */
function openJson<T>(gateway: Gateway, { _id, dataKey }: Sealing, context: (id: string) => string, sealed: Buffer): T {
  const id = String(_id);
  const key = unwrapDataKey(gateway.keys.images, id, dataKey);
  return JSON.parse(open(key, context(id), bufferOf(sealed)).toString());
}
