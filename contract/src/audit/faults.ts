/**
 * The faults of an audit log. `changed`: an entry was changed or moved. `missing`: an entry is missing. `head`: the
 * signed head is missing or does not match. `base`: the signed end of the archived entries is missing or does not match.
 * `foreign`: an event was made by no process of the product
 * (`audit.foreign`). `gap`: an event was made and removed before it was logged (`audit.gap`).
 */
export const auditFaults = ['changed', 'missing', 'head', 'base', 'foreign', 'gap'] as const;
export type AuditFault = (typeof auditFaults)[number];

/** The entry where a verification starts: the first one, or the last one that was verified before. */
export const auditStarts = ['start', 'checkpoint'] as const;
export type AuditStart = (typeof auditStarts)[number];

/** The reasons in entries that the product itself adds. */
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
  'ARCHIVED',
  'RETENTION_OVER',
  'SAME_LOOK',
] as const;
export type AuditRemark = (typeof auditRemarks)[number];

/** The reason of a deletion because the retention time is over. */
export const retentionOver: AuditRemark = 'RETENTION_OVER';

/** The reason of an entry that repeats a look of its session, as after a reconnect or in a second tab. */
export const sameLook: AuditRemark = 'SAME_LOOK';
