import { type RequestMove, requestMoves } from '@lightbox/contract/requests/states.js';
import type { QueryFilter } from 'mongoose';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import { AppError } from '../errors.js';
import type { Transaction } from '../events/events.js';
import type { ImageRequestDoc } from '../models/imageRequest.js';

const actions = {
  receive: 'request.received',
  take: 'request.taken',
  decline: 'request.declined',
  revoke: 'request.revoked',
  expire: 'request.ended',
  close: 'request.revoked',
} as const satisfies Record<RequestMove, string>;

interface Moved {
  /** Narrows the move to a request that still matches. */
  only?: QueryFilter<ImageRequestDoc>;
  set?: Partial<ImageRequestDoc>;
  /** The images and studies that the event names. */
  records?: ObjectId[];
  reason?: string;
}

/**
 * Moves a request to its next state, with the event of the move. Returns the request as it was before. Throws `CONFLICT`
 * when its state does not allow the move. Part of the caller's transaction.
 */
export async function moveRequest(
  { models, clock }: Core,
  tx: Transaction,
  id: ObjectId,
  move: RequestMove,
  { only = {}, set = {}, records = [], reason }: Moved = {},
): Promise<ImageRequestDoc> {
  const { from, to } = requestMoves[move];
  const now = clock.now();
  const isEnd = to !== 'received';
  const request = await models.ImageRequest.findOneAndUpdate(
    { $and: [only, { _id: id, state: { $in: [...from] } }] },
    {
      $set: {
        ...set,
        state: to,
        ...(isEnd ? { endedAt: now } : { receivedAt: now }),
        ...(isEnd && to !== 'taken' ? { leftovers: true } : {}),
      },
    },
    { session: tx.session },
  ).lean<ImageRequestDoc>();
  if (!request) throw new AppError('CONFLICT');
  tx.record({
    type: actions[move],
    record: id,
    records,
    owners: [request.by],
    recipients: [request.by],
    ...(reason ? { reason } : {}),
  });
  return request;
}
