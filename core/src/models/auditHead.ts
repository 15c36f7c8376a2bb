import type { AuditFault } from '@lightbox/contract/audit/faults.js';
import { Mixed, number, schemaOf, string } from './fields.js';

/** A signed place in the audit log: its newest entry (`head`), or the last one that was verified (`checkpoint`). */
export interface AuditHeadDoc {
  _id: string;
  seq: number;
  hash: string;
  keyId: string;
  mac: string;
  /** Of the head: the ids of all keys that sign entries of the log. */
  keyIds?: string[];
  /** Of the checkpoint: the first entry up to it that reports a fault. */
  found?: { seq: number; fault: AuditFault };
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
  },
  { collection: 'auditheads' },
);
