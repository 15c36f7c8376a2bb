import { actionOf } from '@lightbox/contract/audit/actions.js';
import { deliver } from '@lightbox/contract/notifications/policy.js';
import type { PushPayload } from '@lightbox/contract/push/calls.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import type { Core } from '@lightbox/core/core.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { consequencesOf } from '@lightbox/core/events/reactions.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import type { PushSubscriptionDoc } from '@lightbox/core/models/pushSubscription.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { ForbiddenEndpoint } from '@lightbox/core/net/endpoints.js';
import { noticeSettingsOf } from '@lightbox/core/notifications/noticeSettings.js';
import { planReminder } from '@lightbox/core/notifications/reminders.js';
import type { JobData } from '@lightbox/core/queues/jobs.js';
import { UnrecoverableError } from 'bullmq';
import { JobFailed, NewerVersion } from '../failures.js';
import { recordOf } from '../notifications/notify.js';
import type { Push, PushSender } from './sender.js';

const hour = 3600;
const ordinary = { urgency: 'normal', ttlSeconds: 24 * hour } as const;

/** For each kind: the time for which the push service stores it for an offline device, and its urgency. */
const manners: Record<PushPayload['kind'], Pick<Push, 'urgency' | 'ttlSeconds'>> = {
  'message.new': { urgency: 'high', ttlSeconds: 12 * hour },
  'share.created': { urgency: 'high', ttlSeconds: 24 * hour },
  'share.verified': ordinary,
  'share.locked': ordinary,
  'share.revoked': ordinary,
  'guest.opened': ordinary,
  'request.received': ordinary,
  'emergency.opened': { urgency: 'high', ttlSeconds: 24 * hour },
  'emergency.questioned': ordinary,
  'emergency.answered': ordinary,
  'carer.named': ordinary,
  'carer.accepted': ordinary,
  'carer.ended': ordinary,
  'analysis.completed': ordinary,
  'analysis.failed': ordinary,
  'analysis.signed': ordinary,
  'analysis.withdrawn': ordinary,
  'consent.asked': ordinary,
  'provider.registered': { urgency: 'low', ttlSeconds: 24 * hour },
  'user.bulkRead': ordinary,
  'webhook.stopped': ordinary,
  'auth.breakGlassUsed': { urgency: 'high', ttlSeconds: 24 * hour },
  'study.complete': ordinary,
  summary: ordinary,
};

/** All pushes have the same length, so that the length does not reveal the kind. */
const PAYLOAD_LENGTH = 128;

/**
 * Sends one push to one browser, from the current state. Sends nothing when the record was read meanwhile, while the
 * person has a tab in the foreground, because the tab shows it, or when the person turned the kind off. In quiet hours the
 * push is put off to their end. Deletes the subscription of a browser that the push service
 * no longer knows, and retries when the service is away or answers 429.
 */
export async function deliverPush(core: Core, sender: PushSender | null, job: JobData<'deliverPush'>): Promise<void> {
  const subscription = await core.models.PushSubscription.findById(oid(job.subscriptionId)).lean<PushSubscriptionDoc>();
  if (!sender || !subscription) return;
  const payload = await payloads[job.about](core, oid(job.recordId), subscription.user, job.count);
  if (payload && !Object.hasOwn(manners, payload.kind)) {
    throw new NewerVersion('The push is of a kind that this version does not know.');
  }
  if (!payload || !(await wantsPush(core, subscription.user, payload, job))) return;
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
const topicOf = (core: Core, kind: PushPayload['kind']): string =>
  hmac(core.keys.topics.current.key, kind).toString('base64url').slice(0, 22);

/** Returns the payload for this person; null when there is nothing to push to them. */
type Payload = (core: Core, id: ObjectId, user: ObjectId, count?: number) => Promise<PushPayload | null>;

const payloads: Record<JobData<'deliverPush'>['about'], Payload> = {
  notification: async ({ models }, _id, user) => {
    const found = await models.Notification.findOne({ _id, user, unread: true }).lean<NotificationDoc>();
    return found && { kind: found.kind, ...(found.record ? { recordId: String(found.record) } : {}) };
  },
  event: async ({ models }, id, user) => {
    const event = await models.Event.findById(id).lean<EventDoc>();
    if (event && !actionOf(event.type))
      throw new NewerVersion('The push is of an action that this version does not know.');
    const kind = event && consequencesOf(event.type)?.notify;
    if (!kind || !event.recipients.some((one) => one.equals(user))) return null;
    const { record } = recordOf(event);
    return { kind, ...(record ? { recordId: String(record) } : {}) };
  },
  message: async ({ models }, _id, recipient) => {
    const message = await models.Message.findOne({ _id, recipient }).lean<MessageDoc>();
    return message && !message.readAt ? { kind: 'message.new', recordId: String(message.sender) } : null;
  },
  summary: async (_core, id, user, count) => (count && id.equals(user) ? { kind: 'summary', count } : null),
};

async function wantsPush(
  core: Core,
  id: ObjectId,
  { kind }: PushPayload,
  { about, recordId }: JobData<'deliverPush'>,
): Promise<boolean> {
  if ((await core.foreground.online([String(id)])).size > 0) return false;
  const user = await core.models.User.findById(id, {
    active: 1,
    status: 1,
    deletedAt: 1,
    notices: 1,
    timeZone: 1,
  }).lean<UserDoc>();
  if (!isUsable(user)) return false;
  // The contents of a summary were judged when it was made.
  if (kind === 'summary' || about === 'summary') return true;
  const { device } = deliver(kind, noticeSettingsOf(user), core.clock.now());
  if (!(device instanceof Date)) return device;
  await planReminder(core, { user: id, channel: 'device', kind, about, record: oid(recordId), dueAt: device });
  return false;
}
