import { readingRule } from '@lightbox/contract/analysis/policy.js';
import { isLiveShare } from '@lightbox/contract/sharing/states.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import { TEST_EVENT, type WebhookData, type WebhookEvent } from '@lightbox/contract/webhooks/events.js';
import {
  followedLink,
  followedShare,
  followsRequest,
  mayImage,
  mayStudy,
  type NewsViewer,
  seenEmergency,
} from '../access/news.js';
import type { Core } from '../core.js';
import { oid } from '../db/ids.js';
import type { UserDoc } from '../models/user.js';
import type { WebhookDoc } from '../models/webhook.js';
import type { WebhookDeliveryDoc } from '../models/webhookDelivery.js';

type Reading = Pick<Core, 'models' | 'clock'>;
type Judge = (core: Reading, viewer: NewsViewer, data: WebhookData) => Promise<boolean>;

/** The end of a share. Its people learn of it. */
const shareEnd: Judge = async (core, viewer, { shareId = '' }) => (await followedShare(core, viewer, shareId)) !== null;

/** A recipient learns nothing about a share that has ended, except its end. */
const share: Judge = async (core, viewer, { shareId = '' }) => {
  const found = await followedShare(core, viewer, shareId);
  if (!found) return false;
  return viewer.id !== String(found.recipient) || isLiveShare(found, core.clock.now());
};
const guest: Judge = async (core, viewer, { guestLinkId = '' }) =>
  (await followedLink(core, viewer, guestLinkId)) !== null;
const emergency: Judge = async (core, viewer, { emergencyId = '' }) =>
  (await seenEmergency(core, viewer, emergencyId)) !== null;
const image: Judge = (core, viewer, { imageId = '' }) => mayImage('see', core, viewer, imageId);
const analysis: Judge = (core, viewer, { imageId = '' }) => mayImage('analyse', core, viewer, imageId);
const review: Judge = (core, viewer, { imageId = '' }) => mayImage(readingRule(viewer.role), core, viewer, imageId);
/** The record is gone. The people of the event were chosen before, and learn only that it is deleted. */
const deleted: Judge = async () => true;

const judges: Record<WebhookEvent, Judge> = {
  'image.uploaded': image,
  'image.updated': image,
  'image.deleted': deleted,
  'study.updated': (core, viewer, { studyId = '' }) => mayStudy('see', core, viewer, studyId),
  'study.complete': (core, viewer, { studyId = '' }) => mayStudy('see', core, viewer, studyId),
  'study.deleted': deleted,
  'share.created': share,
  'share.verified': share,
  'share.locked': share,
  'share.changed': share,
  'share.revoked': shareEnd,
  'share.expired': shareEnd,
  'guest.created': guest,
  'guest.opened': guest,
  'guest.locked': guest,
  'guest.revoked': guest,
  'guest.expired': guest,
  'request.received': (core, viewer, { requestId = '' }) => followsRequest(core, viewer, requestId),
  'emergency.opened': emergency,
  'emergency.ended': emergency,
  'analysis.completed': analysis,
  'analysis.failed': analysis,
  'analysis.signed': review,
  'analysis.withdrawn': review,
  'message.new': async ({ models }, { id }, { messageId = '' }) =>
    (await models.Message.exists({ _id: oid(messageId), recipient: oid(id) })) !== null,
};

/** False for an event that only a newer version knows. */
export const isKnownNews = (type: string): boolean => type === TEST_EVENT || Object.hasOwn(judges, type);

/**
 * True when the webhook may get the delivery now. That of a person gets what the person may learn at this moment, by the
 * rules of live updates; that of the installation gets everything.
 */
export async function mayLearn(core: Reading, webhook: WebhookDoc, delivery: WebhookDeliveryDoc): Promise<boolean> {
  if (webhook.whole) return true;
  const user = await core.models.User.findById(webhook.user).lean<UserDoc>();
  if (!user || !isUsable(user)) return false;
  const { type, data } = delivery;
  return type === TEST_EVENT || judges[type](core, { id: String(user._id), role: user.role }, data);
}
