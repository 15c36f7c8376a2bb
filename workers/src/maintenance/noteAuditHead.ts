import { readHead } from '@lightbox/core/audit/head.js';
import type { Core } from '@lightbox/core/core.js';

/**
 * Notes the newest entry of the audit log where the database's owner cannot reach it: in the service's own log. Whoever
 * puts back a whole database from before, head and all, is found out by `npm run audit:verify -- SEQ:HASH`.
 */
export async function noteAuditHead({ models, keys, log }: Core): Promise<void> {
  const head = await readHead(models, keys.audit);
  if (head) log.info({ head: `${head.seq}:${head.hash}` }, 'head of the audit log');
}
