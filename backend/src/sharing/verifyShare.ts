import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { shareCalls } from '@lightbox/contract/sharing/calls.js';
import { isLive } from '@lightbox/core/access/images.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, NewEvent } from '@lightbox/core/events/events.js';
import { isCode } from '@lightbox/core/keys/codes.js';
import type { ImageDoc, ShareDoc } from '@lightbox/core/models/types.js';
import { wrongCode } from '../auth/codes.js';
import type { Answer, Context, Gateway } from '../context.js';

type Call = typeof shareCalls.verifyShare;

/** Opens an image for its recipient. Of guesses made at once no more than five are looked at: each takes its try first. */
export async function verifyShare({ gateway, actor, viewer, body }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const share = await gateway.models.Share.findOne({
    _id: oid(body.sharingRequestId),
    recipient: viewer._id,
  }).lean<ShareDoc>();
  const image = share && (await gateway.models.Image.findById(share.image, { owner: 1 }).lean<ImageDoc>());
  if (!share || !image) throw new AppError('NOT_FOUND');
  const event: NewEvent = { type: 'share.verify', table: 'shares', record: share.image, owners: [image.owner] };

  const refused = await refusalOf(gateway, share, body.verificationCode);
  if (refused) {
    await gateway.events.record(actor, { ...event, status: 'failed', reason: refused.code });
    throw refused;
  }
  if (!share.verifiedAt) await markVerified(gateway, actor, share, image, event);
  return { data: { imagemetadataId: String(share.image), isVerified: true } };
}

async function refusalOf(gateway: Gateway, share: ShareDoc, guess: string): Promise<AppError | null> {
  const now = gateway.clock.now();
  if (!isLive(share, now)) return new AppError('EXPIRED');
  const right = () => isCode(gateway.keys.codes, String(share._id), share, guess);
  if (share.verifiedAt) return right() ? null : new AppError('WRONG_CODE');
  const claimed = await gateway.models.Share.findOneAndUpdate(
    { _id: share._id, salt: share.salt, tries: { $lt: limits.codeTries } },
    { $inc: { tries: 1 } },
    { returnDocument: 'after' },
  ).lean<ShareDoc>();
  if (!claimed) return (await verifiedMeanwhile(gateway, share)) && right() ? null : new AppError('CODE_LOCKED');
  if (share.codeExpiresAt <= now) return new AppError('EXPIRED');
  return right() ? null : wrongCode(limits.codeTries - claimed.tries);
}

/** The same person's other tab had the right code: the tries it used up do not count against this one. */
const verifiedMeanwhile = async (gateway: Gateway, share: ShareDoc): Promise<boolean> =>
  Boolean(await gateway.models.Share.exists({ _id: share._id, verifiedAt: { $exists: true } }));

async function markVerified(
  gateway: Gateway,
  actor: Actor,
  share: ShareDoc,
  image: ImageDoc,
  event: NewEvent,
): Promise<void> {
  await gateway.events.change(actor, async (tx) => {
    const marked = await gateway.models.Share.updateOne(
      { _id: share._id, live: true, verifiedAt: { $exists: false } },
      { $set: { verifiedAt: gateway.clock.now() } },
      { session: tx.session },
    );
    if (marked.modifiedCount === 1) {
      tx.record({ ...event, recipients: [share.recipient, share.sharedBy, image.owner], refs: { share: share._id } });
    }
    return share._id;
  });
}
