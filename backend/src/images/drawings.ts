import { setTimeout as sleep } from 'node:timers/promises';
import type { TagRow } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import { type Drawing, drawingContext, tagsContext } from '@lightbox/core/imaging/drawing.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { DrawingDoc } from '@lightbox/core/models/drawing.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Request } from 'express';
import type { Gateway } from '../context.js';

const POLL_MS = 100;
const RETRY_SECONDS = 2;

/** Returns the error for a file that a worker has not drawn yet. */
export const pending = (): AppError => new AppError('PREVIEW_PENDING', { retryAfterSeconds: RETRY_SECONDS });

/**
 * Waits until a worker has drawn the image. False when that takes too long or the client has gone. Asks for the drawing
 * of an image that an older version stored.
 */
export async function untilDrawn(gateway: Gateway, image: ImageDoc, req: Request): Promise<boolean> {
  const until = gateway.clock.now().getTime() + limits.drawingSeconds * 1_000;
  for (let asked = false; !req.socket.destroyed; await sleep(POLL_MS)) {
    if (await gateway.isDrawn(image._id)) return true;
    if (gateway.clock.now().getTime() > until) return false;
    if (!asked) await askForDrawing(gateway, image);
    asked = true;
  }
  return false;
}

/** Adds the job unless it waits already. While Redis is away the sweeper adds the job of a new image later. */
const askForDrawing = ({ queues, warn }: Gateway, { _id }: ImageDoc): Promise<void> =>
  queues
    .add([{ name: 'renderPreview', data: { imageId: String(_id) }, once: `draw-${_id}` }])
    .catch((error) => warn(error, 'a drawing could not be asked for'));

/** The work of a worker that the frames of an image come from. */
export interface Made {
  drawing: Drawing;
  plain: DrawingDoc['plain'];
}

/** Returns how the image is drawn; null while no worker has drawn it. */
export async function readDrawing(gateway: Gateway, image: ImageDoc): Promise<Made | null> {
  const found = await gateway.models.Drawing.findById(image._id, { drawing: 1, plain: 1 })
    .readConcern(NEWEST)
    .lean<Pick<DrawingDoc, 'drawing' | 'plain'>>();
  return found && { drawing: openJson<Drawing>(gateway, image, drawingContext, found.drawing), plain: found.plain };
}

export async function readTags(gateway: Gateway, image: ImageDoc): Promise<TagRow[] | null> {
  const found = await gateway.models.Drawing.findById(image._id, { tags: 1 })
    .readConcern(NEWEST)
    .lean<Pick<DrawingDoc, 'tags'>>();
  return found && openJson<TagRow[]>(gateway, image, tagsContext, found.tags);
}

/** Opens a value that a worker sealed. It checked the shape before. */
function openJson<T>(gateway: Gateway, { _id, dataKey }: ImageDoc, context: (id: string) => string, sealed: Buffer): T {
  const id = String(_id);
  const key = unwrapDataKey(gateway.keys.images, id, dataKey);
  return JSON.parse(open(key, context(id), bufferOf(sealed)).toString());
}
