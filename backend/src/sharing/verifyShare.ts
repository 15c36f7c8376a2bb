import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { shareCalls } from '@lightbox/contract/sharing/calls.js';
import { isLive, pendingShare } from '@lightbox/core/access/shares.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, DoneEvent } from '@lightbox/core/events/events.js';
import { isCode } from '@lightbox/core/keys/codes.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import { takeTry, wrongCode } from '../auth/tries.js';
import type { Answer, Context, Gateway } from '../context.js';

type Call = typeof shareCalls.verifyShare;

/** Opens an image for its recipient. */
export async function verifyShare({ gateway, actor, viewer, body }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const share = await gateway.models.Share.findOne({
    _id: oid(body.sharingRequestId),
    recipient: viewer._id,
  }).lean<ShareDoc>();
  const image = share && (await gateway.models.Image.findById(share.image, { owner: 1 }).lean<ImageDoc>());
  if (!share || !image) throw new AppError('NOT_FOUND');
  const event = { type: 'share.verify' as const, record: share.image, owners: [image.owner] };

  const refused =
    over(gateway, share) ??
    (await tryCode(gateway, actor, share, body.verificationCode, {
      ...event,
      recipients: [share.recipient, share.sharedBy, image.owner],
      refs: { share: share._id },
    }));
  if (refused) {
    await gateway.events.record(actor, { ...event, status: 'failed', reason: refused.code });
    throw refused;
  }
  return { data: { imagemetadataId: String(share.image), isVerified: true } };
}

/** A permanent share outlives its code; what was opened with it stays open. */
function over(gateway: Gateway, share: ShareDoc): AppError | null {
  const now = gateway.clock.now();
  const usable = isLive(share, now) && (share.verifiedAt || share.codeExpiresAt > now);
  return usable ? null : new AppError('EXPIRED');
}

/**
 * Takes a try, compares, and writes what follows, in one transaction. A right code opens the share and gives its try back, so
 * the same one may come many times at once. The last wrong one locks the share. That is an event of its own, because somebody
 * may be guessing: recipient, sharer and owner are told.
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
  await gateway.events.change(actor, async (tx) => {
    // With the code of this moment: another one may have been sent since the share was read.
    const current = await takeTry(Share, open, { session: tx.session });
    if (!current) {
      const settled = await Share.findById(share._id).session(tx.session).lean<ShareDoc>();
      refused = withoutTry(gateway, settled, isRight);
    } else if (isRight(current)) {
      refused = null;
      const opened = { $set: { verifiedAt: now }, $inc: { tries: -1 } };
      await Share.updateOne({ _id: share._id }, opened, { session: tx.session });
      tx.record(event);
    } else {
      refused = wrongCode(current.tries);
      if (current.tries === limits.codeTries) tx.record({ ...event, type: 'share.lock' });
    }
    return share._id;
  });
  return refused;
}

/** The answer for a share that has no try to take: it ended, is open already, or is locked. */
function withoutTry(
  gateway: Gateway,
  share: ShareDoc | null,
  isRight: (current: ShareDoc) => boolean,
): AppError | null {
  if (!isLive(share, gateway.clock.now())) return new AppError('EXPIRED');
  if (!share.verifiedAt) return new AppError('CODE_LOCKED');
  return isRight(share) ? null : new AppError('WRONG_CODE');
}
