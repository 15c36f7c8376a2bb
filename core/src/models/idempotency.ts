import { limits } from '@lightbox/contract/limits.js';
import { date, hours, type Id, id, schemaOf, string } from './fields.js';

/** The record that a client's `Idempotency-Key` led to, written with the change itself. */
export interface IdempotencyDoc {
  _id: string;
  record: Id;
  /** Keyed hash of the request: the key is valid for no other request. */
  request: string;
  createAt: Date;
}

export const idempotency = schemaOf<IdempotencyDoc>({ _id: String, record: id, request: string, createAt: date }).index(
  { createAt: 1 },
  { expireAfterSeconds: hours(limits.idempotencyHours) },
);
