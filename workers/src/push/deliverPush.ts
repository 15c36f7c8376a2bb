import type { PushKind, PushPayload } from '@lightbox/contract/push/calls.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import type { Core } from '@lightbox/core/core.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import type { PushSubscriptionDoc } from '@lightbox/core/models/pushSubscription.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { ForbiddenEndpoint } from '@lightbox/core/push/endpoints.js';
import type { JobData } from '@lightbox/core/queues/jobs.js';
import { UnrecoverableError } from 'bullmq';
import { JobFailed } from '../failures.js';
import type { Push, PushSender } from './sender.js';

interface Subject extends PushPayload {
  user: ObjectId;
}

const hour = 3600;
const ordinary = { urgency: 'normal', ttlSeconds: 24 * hour } as const;

/** For each kind: the time for which the push service stores it for an offline device, and its urgency. */
const manners: Record<PushKind, Pick<Push, 'urgency' | 'ttlSeconds'>> = {
  'message.new': { urgency: 'high', ttlSeconds: 12 * hour },
  'share.created': { urgency: 'high', ttlSeconds: 24 * hour },
  'share.verified': ordinary,
  'share.locked': ordinary,
  'share.revoked': ordinary,
  'guest.opened': ordinary,
  'request.received': ordinary,
  'analysis.completed': ordinary,
  'analysis.failed': ordinary,
  'provider.registered': { urgency: 'low', ttlSeconds: 24 * hour },
  'user.bulkRead': ordinary,
};

/** All pushes have the same length, so that the length does not reveal the kind. */
const PAYLOAD_LENGTH = 128;

/**
 * Sends one push to one browser, from the current state. Sends nothing when the record was read meanwhile, or while the
 * person has a tab in the foreground, because the tab shows it. Deletes the subscription of a browser that the push service
 * no longer knows, and retries when the service is away or answers 429.
 */
export async function deliverPush(core: Core, sender: PushSender | null, job: JobData<'deliverPush'>): Promise<void> {
  const subscription = await core.models.PushSubscription.findById(oid(job.subscriptionId)).lean<PushSubscriptionDoc>();
  if (!sender || !subscription) return;
  const subject = await (job.about === 'message' ? ofMessage : ofNotification)(core, oid(job.recordId));
  if (!subject?.user.equals(subscription.user) || !(await wantsPush(core, subject.user))) return;
  const { user: _, ...payload } = subject;
  const { endpoint, p256dh, auth } = subscription;
  const status = await sender
    .send({
      endpoint,
      p256dh,
      auth,
      payload: JSON.stringify(payload).padEnd(PAYLOAD_LENGTH),
      topic: topicOf(core, payload.kind),
      ...manners[payload.kind],
    })
    .catch((error) => {
      // The endpoint must not be in a log: anyone who knows it can write to the device.
      if (error instanceof ForbiddenEndpoint) return 410;
      throw new JobFailed(
        `The push service cannot be reached: ${(error as NodeJS.ErrnoException).code ?? 'no answer'}.`,
      );
    });
  await settle(core, subscription, status);
}

async function settle(core: Core, { _id, endpoint }: PushSubscriptionDoc, status: number): Promise<void> {
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410) {
    await core.models.PushSubscription.deleteOne({ _id, endpoint });
    return;
  }
  const message = `The push service answered ${status}.`;
  throw status === 429 || status >= 500 ? new JobFailed(message) : new UnrecoverableError(message);
}

/** Returns a topic for the kind, which the push service can compare but not read. */
const topicOf = (core: Core, kind: PushKind): string =>
  hmac(core.keys.topics.current.key, kind).toString('base64url').slice(0, 22);

async function ofNotification(core: Core, id: ObjectId): Promise<Subject | null> {
  const found = await core.models.Notification.findById(id).lean<NotificationDoc>();
  if (!found?.unread) return null;
  return { user: found.user, kind: found.kind, ...(found.record ? { recordId: String(found.record) } : {}) };
}

async function ofMessage(core: Core, id: ObjectId): Promise<Subject | null> {
  const message = await core.models.Message.findById(id).lean<MessageDoc>();
  if (!message || message.readAt) return null;
  return { user: message.recipient, kind: 'message.new', recordId: String(message.sender) };
}

async function wantsPush(core: Core, id: ObjectId): Promise<boolean> {
  if ((await core.foreground.online([String(id)])).size > 0) return false;
  const user = await core.models.User.findById(id, { active: 1, status: 1, deletedAt: 1 }).lean<UserDoc>();
  return isUsable(user);
}
