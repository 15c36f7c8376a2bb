import type { Keys } from '../keys/keyring.js';
import type { Models } from '../models/models.js';
import type { Logger } from '../process/log.js';
import { newestEntry, readHead, rememberedHead, rememberHead } from './head.js';
import type { EventSigner } from './signing.js';

interface Watching {
  models: Models;
  keys: Keys;
  log: Logger;
  signer: EventSigner;
}

/**
 * Each process remembers the receipts that the log has not taken up, and the furthest head that it has seen. Logs an
 * error when one of the receipts is gone, or when the log ends before that head.
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
