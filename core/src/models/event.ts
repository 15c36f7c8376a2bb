import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import { bool, date, days, type Fields, type Id, Mixed, ObjectId, schemaOf, string } from './fields.js';

export type EventStatus = 'success' | 'denied' | 'failed';

/** The part of an event that its audit entry stores. */
export interface Recorded {
  type: AuditAction;
  status: EventStatus;
  actor?: Id;
  /** The personal token with which a program acted for the actor. */
  token?: Id;
  /** The DICOM node that sent files for the actor. */
  node?: Id;
  table: string;
  /** The record that was acted on; for shares, the image. */
  record?: Id;
  records?: Id[];
  /** Owners of the image(s), in the order of `records`: they see the entry in their audit log. */
  owners?: Id[];
  ip: string;
  reason: string;
  at: Date;
  /**
   * Facts that a later version records and this one does not know, as text by their names. They are signed and hashed with
   * the others, so that every version from this one on can sign, append and verify them.
   */
  more?: Record<string, string>;
}

/** One change or one read of protected content. Audit entry, live update, notice and jobs follow from it. */
export interface EventDoc extends Recorded {
  _id: Id;
  /** The people who are notified. */
  recipients: Id[];
  /** People whose images as carers have changed. */
  carers?: Id[];
  /** Ids of other records that the reactions need. */
  refs: Record<string, Id>;
  /** Not yet handed over to sockets and queues. */
  pending: boolean;
  unaudited: boolean;
  /** Names of its jobs that are not done. Redis may lose jobs; maintenance adds them again by this list. */
  owed?: string[];
  /** The trace of the call or job that made the event. Jobs and live updates of the event continue it. */
  trace?: string;
  /** Signature of the process that made the event; absent on events of versions before events were signed. */
  keyId?: string;
  mac?: string;
}

export const recorded: Fields<Recorded> = {
  type: string,
  status: string,
  actor: ObjectId,
  token: ObjectId,
  node: ObjectId,
  table: string,
  record: ObjectId,
  records: { type: [ObjectId], default: undefined },
  owners: { type: [ObjectId], default: undefined },
  ip: { type: String, default: '' },
  reason: { type: String, default: '' },
  at: date,
  more: Mixed,
};

export const event = schemaOf<EventDoc>(
  {
    ...recorded,
    recipients: [ObjectId],
    carers: { type: [ObjectId], default: undefined },
    refs: { type: Mixed, default: {} },
    pending: bool,
    unaudited: bool,
    owed: { type: [String], default: undefined },
    trace: String,
    keyId: String,
    mac: String,
  },
  { minimize: false },
)
  .index({ pending: 1, at: 1 }, { partialFilterExpression: { pending: true } })
  .index({ unaudited: 1, _id: 1 }, { partialFilterExpression: { unaudited: true } })
  .index({ owed: 1, at: 1 }, { partialFilterExpression: { 'owed.0': { $exists: true } } })
  // The audit entry stores the facts; the event itself is not needed any more.
  .index({ at: 1 }, { expireAfterSeconds: days(7), partialFilterExpression: { pending: false, unaudited: false } });
