import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { shareCalls } from '@lightbox/contract/sharing/calls.js';
import { refreshCards } from '@lightbox/core/access/cards.js';
import { carersOf } from '@lightbox/core/access/carers.js';
import { isLive, pendingShare } from '@lightbox/core/access/shares.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, DoneEvent } from '@lightbox/core/events/events.js';
import { isCode } from '@lightbox/core/keys/codes.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import { aboutShare, ownerOf } from '@lightbox/core/sharing/shareTarget.js';
import { takeTry, wrongCode } from '../auth/tries.js';
import type { Answer, Context, Gateway } from '../context.js';
import { namesOfTarget } from './present.js';

type Call = typeof shareCalls.verifyShare;

/** Opens a shared image or study for its recipient, by the mailed code. */
export async function verifyShare({ gateway, actor, viewer, body }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const share = await gateway.models.Share.findOne({
    _id: oid(body.sharingRequestId),
    recipient: viewer._id,
  }).lean<ShareDoc>();
  const owner = share && (await ownerOf(gateway.models, share));
  if (!share || !owner) throw new AppError('NOT_FOUND');
  const { refs, ...about } = aboutShare(share);
  const event = { type: 'share.verify' as const, ...about, owners: [owner] };

  const refused =
    expired(gateway, share) ??
    (await tryCode(gateway, actor, share, body.verificationCode, {
      ...event,
      recipients: [share.recipient, share.sharedBy, owner],
      refs,
    }));
  if (refused) {
    await gateway.events.record(actor, { ...event, status: 'failed', reason: refused.code });
    throw refused;
  }
  return { data: { ...namesOfTarget(share), isVerified: true } };
}

/**
 * Returns `EXPIRED` when the share has ended, or its code has expired before it was used. A share that was opened stays
 * open after its code has expired.
 */
function expired(gateway: Gateway, share: ShareDoc): AppError | null {
  const now = gateway.clock.now();
  const usable = isLive(share, now) && (share.verifiedAt || share.codeExpiresAt > now);
  return usable ? null : new AppError('EXPIRED');
}

/**
 * Returns the recipient’s other waiting share to which the code belongs. People mix up the codes of several mails. Each
 * comparison is a guess at a further code, so only a few newest shares are compared, and only for the first wrong codes
 * of a day. Shares without tries are left out: a lock must not answer.
 */
async function otherShareOf(gateway: Gateway, share: ShareDoc, guess: string): Promise<{ belongsTo?: string }> {
  const { keys, clock, models, throttle } = gateway;
  if (!(await throttle.tryTake('otherShares', { caller: String(share.recipient) }))) return {};
  const now = clock.now();
  const others = await models.Share.find({
    recipient: share.recipient,
    _id: { $ne: share._id },
    codeExpiresAt: { $gt: now },
    ...pendingShare(now),
  })
    .sort({ _id: -1 })
    .limit(limits.otherShares)
    .lean<ShareDoc[]>();
  const matching = others.filter((other) => isCode(keys.codes, String(other._id), other, guess));
  return matching[0] ? { belongsTo: String(matching[0]._id) } : {};
}

/**
 * Takes a try, compares the code and writes the result, in one transaction. A right code opens the share and gives the
 * try back, so that the same code may be sent several times at once. The last wrong code locks the share. That is an
 * event of its own, because it may be an attack: recipient, sharer and owner are notified.
 */
async function tryCode(
  gateway: Gateway,
  actor: Actor,
  share: ShareDoc,
  guess: string,
  event: DoneEvent<'share.verify'>,
): Promise<AppError | null> {
  const { Share } = gateway.models;
  const isRight = (current: ShareDoc) => isCode(gateway.keys.codes, String(share._id), current, guess);
  if (share.verifiedAt || share.tries >= limits.codeTries) return withoutTry(gateway, share, isRight);
  const now = gateway.clock.now();
  const open = { _id: share._id, ...pendingShare(now) };
  let refused: AppError | null = null;
  let tries: number | undefined;
  await gateway.events.change(actor, async (tx) => {
    // Compare with the code that is stored now: another one may have been sent since the share was read.
    const current = await takeTry(Share, open, { session: tx.session });
    tries = undefined;
    if (!current) {
      const latest = await Share.findById(share._id).session(tx.session).lean<ShareDoc>();
      refused = withoutTry(gateway, latest, isRight);
    } else if (isRight(current)) {
      refused = null;
      const opened = { $set: { verifiedAt: now }, $inc: { tries: -1 } };
      await Share.updateOne({ _id: share._id }, opened, { session: tx.session });
      await refreshCards(gateway.models, share, now, tx.session);
      tx.record({ ...event, carers: await carersOf(gateway.models, [share.recipient], tx.session) });
    } else {
      tries = current.tries;
      if (current.tries === limits.codeTries) {
        await refreshCards(gateway.models, share, now, tx.session);
        tx.record({ ...event, type: 'share.lock' });
      }
    }
    return share._id;
  });
  if (tries !== undefined) return wrongCode(tries, await otherShareOf(gateway, share, guess));
  return refused;
}

/** Returns the answer for a share without a try to take: it has ended, is open already, or is locked. */
function withoutTry(
  gateway: Gateway,
  share: ShareDoc | null,
  isRight: (current: ShareDoc) => boolean,
): AppError | null {
  if (!isLive(share, gateway.clock.now())) return new AppError('EXPIRED');
  if (!share.verifiedAt) return new AppError('CODE_LOCKED');
  return isRight(share) ? null : new AppError('WRONG_CODE');
}
