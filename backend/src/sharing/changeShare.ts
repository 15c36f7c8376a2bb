import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { shareCalls } from '@lightbox/contract/sharing/calls.js';
import { refreshAudience } from '@lightbox/core/access/audience.js';
import { liveShare } from '@lightbox/core/access/shares.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import { endShares } from '@lightbox/core/sharing/endShares.js';
import { aboutShare } from '@lightbox/core/sharing/shareTarget.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import type { Answer, Context, Gateway } from '../context.js';
import { codeEnd } from './addShares.js';
import { presentCreated } from './present.js';
import { requireManaged } from './shares.js';

type Call = typeof shareCalls.changeShare;

/** Changes the end of a share, or allows or forbids the download. A share whose new end has passed ends at once. */
export async function changeShare({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const { Share } = gateway.models;
  const { share, owner } = await requireManaged(gateway, viewer, params.id);
  const end = await endOf(gateway, share, body);
  const now = gateway.clock.now();
  await gateway.events.change(actor, async (tx) => {
    const { session } = tx;
    const changed = await Share.updateOne({ _id: share._id, ...liveShare(now) }, changeOf(body, now, end), { session });
    if (changed.matchedCount === 0) throw new AppError('EXPIRED');
    tx.record({
      type: 'share.changed',
      ...aboutShare(share),
      owners: [owner],
      recipients: [share.recipient, share.sharedBy, owner],
    });
    if (end && end <= now) await endShares(gateway, tx, share, { _id: share._id }, 'share.expire');
    else {
      if (end) {
        const later = { 'token.share': share._id, expiresAt: { $gt: end } };
        await gateway.models.Session.updateMany(later, { $set: { expiresAt: end } }, { session });
      }
      await refreshAudience(gateway.models, share, now, session);
    }
    return share._id;
  });
  const changed = await Share.findById(share._id).lean<ShareDoc>();
  if (!changed) throw new AppError('NOT_FOUND');
  return { data: { ...presentCreated(changed), download: changed.download !== false } };
}

/** Returns the new end: null for none, undefined when it stays. */
async function endOf(
  gateway: Gateway,
  share: ShareDoc,
  { expiresInHours, expiresAt }: BodyOf<Call>,
): Promise<Date | null | undefined> {
  const inHours = (hours: number) => new Date(gateway.clock.now().getTime() + hours * HOUR_MS);
  if (expiresInHours !== undefined) return inHours(expiresInHours);
  if (expiresAt === undefined) return undefined;
  if (expiresAt === null) {
    if (await isPatients(gateway, share)) return null;
    throw fieldError('expiresAt', 'Only the share of the image’s patient can last without an end.');
  }
  const end = new Date(expiresAt);
  if (end <= inHours(limits.shareHoursMax)) return end;
  throw fieldError('expiresAt', `Must be at most ${limits.shareHoursMax} hours from now.`);
}

/** True for a share with the patient of its image or study. */
async function isPatients({ models }: Gateway, { image, study, recipient }: ShareDoc): Promise<boolean> {
  const named = { patient: recipient };
  const found = study
    ? await models.Study.exists({ _id: study, ...named })
    : await models.Image.exists({ _id: image, ...named });
  return found !== null;
}

function changeOf({ download }: BodyOf<Call>, now: Date, end: Date | null | undefined) {
  const code = end === undefined ? {} : { codeExpiresAt: codeEnd(now, end) };
  return {
    $set: { ...code, ...(end ? { expiresAt: end } : {}), ...(download === undefined ? {} : { download }) },
    ...(end === null ? { $unset: { expiresAt: 1 as const } } : {}),
  };
}
