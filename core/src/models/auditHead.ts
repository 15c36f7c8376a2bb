import type { AuditFault } from '@lightbox/contract/audit/faults.js';
import { Mixed, number, schemaOf, string } from './fields.js';

/**
 * A signed place in the audit log: its newest entry (`head`), the last one that was verified (`checkpoint`), or the last
 * one that was archived (`base`).
 */
export interface AuditHeadDoc {
  _id: string;
  seq: number;
  hash: string;
  keyId: string;
  mac: string;
  /** Of the head: the ids of all keys that sign entries of the log. */
  keyIds?: string[];
  /** Of the checkpoint and the base: the first entry up to it that reports a fault. */
  found?: { seq: number; fault: AuditFault };
  /** Of the base: see `audit/base.ts`. */
  from?: number;
  until?: Date;
  removed?: boolean;
}

export const auditHead = schemaOf<AuditHeadDoc>(
  {
    _id: String,
    seq: number,
    hash: string,
    keyId: string,
    mac: string,
    keyIds: { type: [String], default: undefined },
    found: Mixed,
    from: Number,
    until: Date,
    removed: Boolean,
  },
  { collection: 'auditheads' },
);
