import type { WebhookData, WebhookEvent } from '@lightbox/contract/webhooks/events.js';
import type { Clock } from '../db/clock.js';
import { newId, type ObjectId } from '../db/ids.js';
import type { Models } from '../models/models.js';
import type { WebhookDoc } from '../models/webhook.js';
import type { WebhookDeliveryDoc } from '../models/webhookDelivery.js';
import type { JobRequest } from '../queues/queues.js';

/** An event that webhooks may want. */
export interface WebhookNews {
  /** The event or the message. */
  event: ObjectId;
  type: WebhookEvent;
  data: WebhookData;
  at: Date;
  /** The people whose webhooks get it. Each try judges again if they may learn of it. */
  people: readonly ObjectId[];
}

/** The job of the next try. Its id names the turn, so the same try is not entered twice. */
export const tryOf = (
  { _id, turn, nextTryAt }: Pick<WebhookDeliveryDoc, '_id' | 'turn' | 'nextTryAt'>,
  now: Date,
): JobRequest => ({
  name: 'deliverWebhook',
  data: { deliveryId: String(_id), turn },
  id: `${_id}-${turn}-webhook`,
  delayMs: Math.max(0, (nextTryAt?.getTime() ?? 0) - now.getTime()),
});

export const newDelivery = (
  webhook: ObjectId,
  { event, type, data, at }: Pick<WebhookDeliveryDoc, 'event' | 'type' | 'data' | 'at'>,
  now: Date,
): WebhookDeliveryDoc => ({
  _id: newId(now),
  webhook,
  event,
  type,
  data,
  at,
  createAt: now,
  state: 'waiting',
  turn: 0,
  tries: 0,
  round: 0,
  nextTryAt: now,
});

/**
 * Stores a delivery for each webhook that wants an event, and returns the jobs of their first tries. May be repeated for
 * the same events. Redis may lose the jobs: maintenance enters them again from the deliveries.
 */
export async function storeDeliveries(models: Models, clock: Clock, news: WebhookNews[]): Promise<JobRequest[]> {
  if (news.length === 0) return [];
  const webhooks = await models.Webhook.find(
    {
      $or: [{ whole: true }, { user: { $in: news.flatMap(({ people }) => people) } }],
      on: true,
      events: { $in: news.map(({ type }) => type) },
    },
    { user: 1, whole: 1, events: 1 },
  ).lean<WebhookDoc[]>();
  const now = clock.now();
  const wanted = news.flatMap((one) =>
    webhooks.filter((webhook) => wants(webhook, one)).map(({ _id }) => newDelivery(_id, one, now)),
  );
  if (wanted.length === 0) return [];
  const keys = wanted.map(({ webhook, event }) => ({ webhook, event }));
  // A delivery that an earlier hand-over stored stays as it is.
  await models.WebhookDelivery.bulkWrite(
    wanted.map((delivery, i) => ({
      updateOne: { filter: keys[i] ?? {}, update: { $setOnInsert: delivery }, upsert: true },
    })),
    { ordered: false },
  );
  const stored = await models.WebhookDelivery.find({ $or: keys, state: 'waiting' }).lean<WebhookDeliveryDoc[]>();
  return stored.map((delivery) => tryOf(delivery, now));
}

const wants = ({ user, whole, events }: WebhookDoc, { type, people }: WebhookNews): boolean =>
  events.includes(type) && (whole || people.some((id) => user?.equals(id)));
