import type { WebhookEvent } from '@lightbox/contract/webhooks/events.js';
import { bool, date, type Id, id, ObjectId, schemaOf, string } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/** An address that gets events: those of one person, or those of the installation. */
export interface WebhookDoc {
  _id: Id;
  /** Absent for a webhook of the installation. */
  user?: Id;
  whole: boolean;
  /** The person who made it. */
  by: Id;
  url: string;
  events: WebhookEvent[];
  on: boolean;
  createAt: Date;
  /** The last person who changed it, and when. */
  changedBy?: Id;
  changedAt?: Date;
  secret: SealedValue;
  /** The secret before, which signs too until `previousUntil`. It is sealed with the key of `secret`. */
  previous?: SealedValue;
  previousUntil?: Date;
  /** Time of the first failure since the last success. */
  failingSince?: Date;
  /** Time at which the product turned it off. */
  stoppedAt?: Date;
  touched?: number;
}

export const webhook = schemaOf<WebhookDoc>({
  user: ObjectId,
  whole: bool,
  by: id,
  url: string,
  events: [String],
  on: bool,
  createAt: date,
  changedBy: ObjectId,
  changedAt: Date,
  secret: { type: sealedValue, required: true },
  previous: sealedValue,
  previousUntil: Date,
  failingSince: Date,
  stoppedAt: Date,
  touched: Number,
})
  .index({ user: 1, createAt: -1, _id: -1 })
  .index({ whole: 1, createAt: -1, _id: -1 })
  .index({ 'secret.keyId': 1 });
