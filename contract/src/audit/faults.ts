/**
 * The faults of an audit log: an entry was changed or moved, is missing, or the signed head is; an event that no
 * process of the product made (`audit.foreign`), or one that was made and removed before it was logged (`audit.gap`).
 */
export const auditFaults = ['changed', 'missing', 'head', 'foreign', 'gap'] as const;
export type AuditFault = (typeof auditFaults)[number];

/** From where a verification reads: from the first entry, or from the last one that was verified before. */
export const auditStarts = ['start', 'checkpoint'] as const;
export type AuditStart = (typeof auditStarts)[number];

/** The reasons of the log's own entries. */
export const auditRemarks = [
  'STARTED',
  'UPGRADED',
  'HEAD_MISSING',
  'HEAD_FOREIGN',
  'EVENT_FOREIGN',
  'EVENT_DELETED',
  'EVENT_SUPPRESSED',
  'ENTRY_FOREIGN',
  'RECEIPT_FOREIGN',
  'RECEIPTS_MISSING',
] as const;
export type AuditRemark = (typeof auditRemarks)[number];
