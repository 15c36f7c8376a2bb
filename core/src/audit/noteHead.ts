import type { Core } from '../core.js';
import { anchor, anchored, headText } from './anchor.js';
import { readHead } from './head.js';
import { type Verdict, verifyAudit } from './verify.js';

/**
 * Notes the newest entry of the audit log where a writer of the database cannot reach it: in the service's own log, and
 * in AUDIT_ANCHOR. A verification against it also detects a whole older database, head included.
 */
export async function noteHead({ models, keys, log, config, clock }: Core): Promise<void> {
  const head = await readHead(models, keys.audit);
  if (!head?.genuine) return;
  log.info({ head: headText(head) }, 'head of the audit log');
  if (config.auditAnchor) await anchor(config.auditAnchor, head, clock.now());
}

/**
 * Verifies the log against every noted head, and then notes the present head. `isNoted` is false when AUDIT_ANCHOR could not
 * be written.
 */
export async function verifyAndNote(
  core: Core,
  since: 'start' | 'checkpoint',
): Promise<{ verdict: Verdict; isNoted: boolean }> {
  const noted = await anchored(core.config.auditAnchor);
  const verdict = await verifyAudit(core.models, core.keys.audit, { since, noted });
  if (!verdict.ok) core.log.error({ ...verdict }, 'the audit log failed its verification');
  const isNoted = await noteHead(core).then(
    () => true,
    (error) => {
      core.warn(error, 'the head of the audit log was not noted');
      return false;
    },
  );
  return { verdict, isNoted };
}
