import { type Id, number, ObjectId, schemaOf, string } from './fields.js';

/**
 * A statement of a process about the events that it committed: one of them that is missing in the log later was
 * removed.
 */
export interface AuditReceiptDoc {
  _id: Id;
  /** The id of one start of one process. */
  run: string;
  /** The number of the receipt within its run, from 1. */
  n: number;
  events: Id[];
  keyId: string;
  mac: string;
}

export const auditReceipt = schemaOf<AuditReceiptDoc>(
  { run: string, n: number, events: [ObjectId], keyId: string, mac: string },
  { collection: 'auditreceipts' },
).index({ run: 1, n: 1 });
