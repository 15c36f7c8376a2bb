import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { oid } from '@lightbox/core/db/ids.js';
import { oncePush } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import { queueDeliveries } from '@lightbox/core/push/deliveries.js';
import type { JobContext } from '../jobContext.js';

/**
 * Enters one push for each browser of the recipient, about the oldest message since then that is still unread. At most once
 * in `pushMessageSeconds`: messages in between wait for the end of that time.
 */
export async function pushMessage(core: Core, messageId: string, { later }: JobContext): Promise<void> {
  const first = await core.models.Message.findById(oid(messageId)).lean<MessageDoc>();
  if (!first) return;
  const { recipient } = first;
  const pause = `lightbox:pushed:${recipient}`;
  const left = await core.redis.pttl(pause);
  if (left > 0) return later(left);
  // Messages from now on get a new job.
  await core.queues.all.notifications.removeDeduplicationKey(oncePush(recipient));
  const since = { members: recipient, createAt: { $gte: first.createAt } };
  const oldest = await core.models.Message.findOne({ ...since, recipient, readAt: null })
    .sort({ createAt: 1, _id: 1 })
    .lean<MessageDoc>();
  if (!oldest) return;
  const id = String(oldest._id);
  await queueDeliveries(core, recipient, id, { about: 'message', recordId: id });
  await core.redis.set(pause, '1', 'EX', limits.pushMessageSeconds);
}
