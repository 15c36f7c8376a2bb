import type { DataOf } from '@lightbox/contract/call.js';
import type { OpenedRequest, requestCalls } from '@lightbox/contract/requests/calls.js';
import { requestState } from '@lightbox/contract/requests/states.js';
import { holdRequest, mayReceive } from '@lightbox/core/access/requests.js';
import { newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import { openField } from '@lightbox/core/guests/sealed.js';
import { isLinkToken } from '@lightbox/core/keys/codes.js';
import type { ImageRequestDoc } from '@lightbox/core/models/imageRequest.js';
import type { Models } from '@lightbox/core/models/models.js';
import { moveRequest } from '@lightbox/core/requests/moveRequest.js';
import { findHeld, removeHeld } from '@lightbox/core/requests/removeHeld.js';
import type { ClientSession } from 'mongoose';
import type { Answer, Context } from '../context.js';
import { roomOf } from './holdFile.js';

/** Answers for the holder of the whole address; 404 when it is wrong in any part, or its key was retired. */
export async function openRequest({
  gateway,
  body,
}: Context<typeof requestCalls.openRequest>): Promise<Answer<OpenedRequest>> {
  const { models, keys, clock } = gateway;
  const id = body.link.slice(0, 24);
  const request = await models.ImageRequest.findById(oid(id)).readConcern(NEWEST).lean<ImageRequestDoc>();
  if (!request || !isLinkToken(keys.codes, id, request, body.link)) throw new AppError('NOT_FOUND');
  const expiresAt = request.expiresAt.toISOString();
  const asker = await gateway.readUser(request.by);
  const state = requestState(request, clock.now());
  if (state !== 'waiting') return { data: { state, expiresAt } };
  // Nobody would look at the files.
  if (!mayReceive(asker)) return { data: { state: 'revoked', expiresAt } };
  const room = roomOf(request);
  return {
    data: {
      state,
      expiresAt,
      asker: { firstname: asker.firstname ?? '', lastname: asker.lastname ?? '' },
      note: openField(keys, request, 'note'),
      kind: request.kind,
      files: await models.Image.countDocuments({ 'held.request': request._id }),
      maxFiles: room.files,
      maxBytes: await gateway.settings.get('upload.maxBytes'),
      token: gateway.tokens.sender(id, String(newId(clock.now()))),
    },
  };
}

type Known = typeof requestCalls.findSent;

/** Finds a file of this request alone: a sender learns nothing about the images of the person who asked. */
export async function findSent({ gateway, viewer, query }: Context<Known>): Promise<Answer<DataOf<Known>>> {
  const same = { 'held.request': viewer._id, sha256: query.sha256 };
  return { data: { known: (await gateway.models.Image.exists(same)) !== null } };
}

/**
 * Removes the files that have arrived until now. Each removal gives the place of its file back, and happens only while the
 * request waits: once another window has finished, the files are for the person who asked.
 */
export async function clearRequest({
  gateway,
  actor,
  viewer,
}: Context<typeof requestCalls.clearRequest>): Promise<Answer<unknown>> {
  const { models, clock, events } = gateway;
  const sender: Actor = {
    ...actor,
    hold: {
      of: viewer.id,
      check: async (session) => {
        await holdRequest(models, viewer._id, clock.now(), session);
      },
    },
  };
  let found: Awaited<ReturnType<typeof findHeld>> | undefined;
  await events.change(sender, async (tx) => {
    found = await findHeld(models, viewer._id, tx.session);
    // A picture that comes from now on begins a new study.
    await models.ImageRequest.updateOne({ _id: viewer._id }, { $unset: { pictures: 1 } }, { session: tx.session });
    tx.record({ type: 'request.cleared', record: viewer._id, owners: [viewer.by] });
    return viewer._id;
  });
  if (found) await removeHeld(gateway, sender, viewer._id, found, 'The sender removed it.');
  return { data: null };
}

/** Ends the sending: the person who asked is told, and the link takes no further file. */
export async function finishRequest({
  gateway,
  actor,
  viewer,
}: Context<typeof requestCalls.finishRequest>): Promise<Answer<unknown>> {
  const { models } = gateway;
  await gateway.events.change(actor, async (tx) => {
    const sum = await sumOfHeld(models, viewer._id, tx.session);
    if (sum.files === 0) throw new AppError('CONFLICT');
    await moveRequest(gateway, tx, viewer._id, 'receive', { set: sum });
    return viewer._id;
  });
  return { data: null };
}

/** Returns the number of files that a request holds, and their bytes together. */
async function sumOfHeld(models: Models, request: ObjectId, session: ClientSession) {
  const [sum] = await models.Image.aggregate<{ files: number; bytes: number }>(
    [
      { $match: { 'held.request': request } },
      { $group: { _id: null, files: { $sum: 1 }, bytes: { $sum: '$size' } } },
      { $project: { _id: 0 } },
    ],
    { session },
  );
  return sum ?? { files: 0, bytes: 0 };
}
