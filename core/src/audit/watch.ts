import type { Core } from '../core.js';
import { anchor, anchored, headText } from './anchor.js';
import { newestEntry, readHead, rememberedHead, rememberHead } from './head.js';
import { type Verdict, verifyAudit } from './verify.js';

type Watching = Pick<Core, 'models' | 'keys' | 'log' | 'signer'>;

/**
 * Each process remembers the receipts that the log has not taken up, and the furthest head that it has seen. It says so when
 * one of them is gone, or the log ends before.
 */
export async function watchLog({ models, keys, log, signer }: Watching): Promise<void> {
  const restored = await signer.restoreReceipts();
  if (restored > 0) log.error({ restored }, 'receipts for the audit log were removed, and are written again');
  const before = rememberedHead(models);
  const head = await readHead(models, keys.audit);
  if (head?.genuine) rememberHead(models, head);
  if (!before) return;
  const found = (await newestEntry(models))?.seq ?? 0;
  if (found < before.seq || !head) {
    log.error({ remembered: before.seq, found, head: head?.seq ?? null }, 'the audit log has lost its end');
  }
}

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
