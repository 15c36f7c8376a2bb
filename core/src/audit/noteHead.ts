import type { Core } from '../core.js';
import { anchor, anchored, headText } from './anchor.js';
import { readHead } from './head.js';
import { type Verdict, verifyAudit } from './verify.js';

/**
 * Notes the newest entry of the audit log where a writer of the database cannot reach it: in the service's own log, and in
 * AUDIT_ANCHOR. A whole database from before, head and all, is found out by it.
 */
export async function noteHead({ models, keys, log, config, clock }: Core): Promise<void> {
  const head = await readHead(models, keys.audit);
  if (!head?.genuine) return;
  log.info({ head: headText(head) }, 'head of the audit log');
  if (config.auditAnchor) await anchor(config.auditAnchor, head, clock.now());
}

/** Verifies against everything that was noted, and notes the head that holds. */
export async function verifyAndNote(core: Core, since: 'start' | 'checkpoint'): Promise<Verdict> {
  const noted = await anchored(core.config.auditAnchor);
  const verdict = await verifyAudit(core.models, core.keys.audit, { since, noted });
  if (!verdict.ok) core.log.error({ ...verdict }, 'the audit log does not hold');
  await noteHead(core).catch((error) => core.warn(error, 'the head of the audit log was not noted'));
  return verdict;
}
