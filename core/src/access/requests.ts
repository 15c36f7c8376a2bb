import { limits } from '@lightbox/contract/limits.js';
import { roleMay } from '@lightbox/contract/permissions.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import type { ClientSession } from 'mongoose';
import type { ObjectId } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { AppError } from '../errors.js';
import type { ImageRequestDoc } from '../models/imageRequest.js';
import type { Models } from '../models/models.js';
import type { UserDoc } from '../models/user.js';
import { DAY_MS } from '../times.js';
import { holdUser, touch } from './hold.js';

/** The state `waiting` as a filter: requests that take files. */
export const waitingRequest = (now: Date) => ({ state: 'waiting' as const, expiresAt: { $gt: now } });

const HELD_MS = limits.heldDays * DAY_MS;

/** Returns the time at which received files are removed, if nobody took them. */
export const heldUntil = (receivedAt: Date): Date => new Date(receivedAt.getTime() + HELD_MS);

/** Requests whose time is over, as a filter: nobody sent anything, or nobody looked at the files. */
export const overdueRequest = (now: Date) => ({
  $or: [
    { state: 'waiting' as const, expiresAt: { $lte: now } },
    { state: 'received' as const, receivedAt: { $lte: new Date(now.getTime() - HELD_MS) } },
  ],
});

/** Requests that wait or hold files, as a filter. */
export const openRequest = (now: Date) => ({ $or: [waitingRequest(now), { state: 'received' as const }] });

/** Images and studies that arrived for a request and wait for its end, as a filter for lists, which leave them out. */
export const notHeld = { held: { $exists: false } };

/** True while the person who asked may take files: the account works, and its role may have images of its own. */
export const mayReceive = (asker: UserDoc | null): asker is UserDoc =>
  isUsable(asker) && roleMay(asker.role, 'image.upload');

/** Returns the request while it takes files. */
export const findWaiting = (models: Models, id: ObjectId, now: Date): Promise<ImageRequestDoc | null> =>
  models.ImageRequest.findOne({ _id: id, ...waitingRequest(now) })
    .readConcern(NEWEST)
    .lean<ImageRequestDoc>();

/** Returns the request, for a transaction that adds a file to it. Throws once it, or the person who asked, takes no files. */
export async function holdRequest(
  models: Models,
  id: ObjectId,
  now: Date,
  session: ClientSession,
): Promise<ImageRequestDoc> {
  const waiting = { _id: id, ...waitingRequest(now) };
  const request = await models.ImageRequest.findOneAndUpdate(waiting, touch, { session }).lean<ImageRequestDoc>();
  const asker = request && (await holdUser(models, { _id: request.by }, session));
  if (!request || !mayReceive(asker)) throw new AppError('AUTHENTICATION_FAILED');
  return request;
}
