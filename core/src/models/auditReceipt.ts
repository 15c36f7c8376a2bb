import { type Id, number, ObjectId, schemaOf, string } from './fields.js';

/** A process states which events it committed: an event that is not in the log later was removed. */
export interface AuditReceiptDoc {
  _id: Id;
  /** One start of one process. */
  run: string;
  /** Counts the receipts of a run, from 1. */
  n: number;
  events: Id[];
  keyId: string;
  mac: string;
}

export const auditReceipt = schemaOf<AuditReceiptDoc>(
  { run: string, n: number, events: [ObjectId], keyId: string, mac: string },
  { collection: 'auditreceipts' },
).index({ run: 1, n: 1 });
