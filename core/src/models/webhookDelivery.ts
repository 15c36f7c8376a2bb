import { limits } from '@lightbox/contract/limits.js';
import type { DeliveryFault, WebhookDelivery } from '@lightbox/contract/webhooks/calls.js';
import type { WebhookData } from '@lightbox/contract/webhooks/events.js';
import { date, days, type Id, id, Mixed, number, schemaOf, string } from './fields.js';

/** One event for one webhook, with its tries. Redis holds only the job of the next try. */
export interface WebhookDeliveryDoc {
  _id: Id;
  webhook: Id;
  /** The event or the message, in `webhook-id`. */
  event: Id;
  type: WebhookDelivery['event'];
  data: WebhookData;
  /** Time of the event. */
  at: Date;
  createAt: Date;
  state: WebhookDelivery['state'];
  /** Counts tries and replays by hand. A job belongs to one turn, and does nothing in another one. */
  turn: number;
  /** All tries, also those of a replay by hand. */
  tries: number;
  /** The tries since it was made, or since the last replay by hand: the pause before the next one follows from it. */
  round: number;
  /** Present while it waits. */
  nextTryAt?: Date;
  lastTryAt?: Date;
  status?: number;
  fault?: DeliveryFault;
}

export const webhookDelivery = schemaOf<WebhookDeliveryDoc>(
  {
    webhook: id,
    event: id,
    type: string,
    data: { type: Mixed, required: true },
    at: date,
    createAt: date,
    state: string,
    turn: number,
    tries: number,
    round: number,
    nextTryAt: Date,
    lastTryAt: Date,
    status: Number,
    fault: String,
  },
  // A test event has no data.
  { minimize: false },
)
  // An event that is handed over twice is one delivery.
  .index({ webhook: 1, event: 1 }, { unique: true })
  .index({ webhook: 1, createAt: -1, _id: -1 })
  .index({ nextTryAt: 1 }, { sparse: true })
  .index({ createAt: 1 }, { expireAfterSeconds: days(limits.webhookLogDays) });
