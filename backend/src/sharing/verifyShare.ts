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
import type { ClientSession } from 'mongoose';
import { wrongCode } from '../auth/codes.js';
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
  const about = { record: share.image, owners: [image.owner] };
  const done = {
    ...about,
    recipients: [share.recipient, share.sharedBy, image.owner],
    refs: { share: share._id },
  };

  const right = isCode(gateway.keys.codes, String(share._id), share, body.verificationCode);
  const refused =
    over(gateway, share) ??
    (right
      ? await open(gateway, actor, share, { type: 'share.verify', ...done })
      : await countWrong(gateway, actor, share, { type: 'share.lock', ...done }));
  if (refused) {
    await gateway.events.record(actor, { type: 'share.verify', ...about, status: 'failed', reason: refused.code });
    throw refused;
  }
  return { data: { imagemetadataId: String(share.image), isVerified: true } };
}

/** A standing share outlives its code; what was opened with it stays open. */
function over(gateway: Gateway, share: ShareDoc): AppError | null {
  const now = gateway.clock.now();
  const usable = isLive(share, now) && (share.verifiedAt || share.codeExpiresAt > now);
  return usable ? null : new AppError('EXPIRED');
}

/**
 * A right code spends no try, so the same one may come many times at once. It opens the share only while fewer than five
 * wrong ones were counted; that is decided by the write itself, so of guesses made at once no more than five help.
 */
async function open(
  gateway: Gateway,
  actor: Actor,
  share: ShareDoc,
  event: DoneEvent<'share.verify'>,
): Promise<AppError | null> {
  if (share.verifiedAt) return null;
  const now = gateway.clock.now();
  await gateway.events.change(actor, async (tx) => {
    const marked = await gateway.models.Share.updateOne(
      {
        _id: share._id,
        ...pendingShare(now),
        salt: share.salt,
      },
      { $set: { verifiedAt: now } },
      { session: tx.session },
    );
    if (marked.modifiedCount === 1) tx.record(event);
    return share._id;
  });
  return whyNot(gateway, share);
}

/** Read anew, why a code did not count at the moment of its write; null when the share is open, by another tab for example. */
async function whyNot(gateway: Gateway, share: ShareDoc): Promise<AppError | null> {
  const after = await gateway.models.Share.findById(share._id).lean<ShareDoc>();
  if (!isLive(after, gateway.clock.now())) return new AppError('EXPIRED');
  if (after.verifiedAt) return null;
  // A new code was sent at that moment, and counts instead.
  return after.salt === share.salt ? new AppError('CODE_LOCKED') : wrongCode(limits.codeTries - after.tries);
}

/** The last try locks the share, and that is an event of its own: somebody may be guessing, and its people are told. */
async function countWrong(
  gateway: Gateway,
  actor: Actor,
  share: ShareDoc,
  lock: DoneEvent<'share.lock'>,
): Promise<AppError> {
  if (share.verifiedAt) return new AppError('WRONG_CODE');
  if (share.tries >= limits.codeTries) return new AppError('CODE_LOCKED');
  const take = (below: number, session: ClientSession | null) =>
    gateway.models.Share.findOneAndUpdate(
      { _id: share._id, live: true, salt: share.salt, tries: { $lt: below } },
      { $inc: { tries: 1 } },
      { returnDocument: 'after', session },
    ).lean<ShareDoc>();
  const counted = await take(limits.codeTries - 1, null);
  if (counted) return wrongCode(limits.codeTries - counted.tries);
  let locked = false;
  await gateway.events.change(actor, async (tx) => {
    locked = (await take(limits.codeTries, tx.session)) !== null;
    if (locked) tx.record(lock);
    return share._id;
  });
  return locked ? wrongCode(0) : ((await whyNot(gateway, share)) ?? new AppError('WRONG_CODE'));
}
