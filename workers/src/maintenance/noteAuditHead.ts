import { verifyAndNote } from '@lightbox/core/audit/noteHead.js';
import type { Core } from '@lightbox/core/core.js';

/** Verifies the new entries of the audit log and writes its end to the anchor. Runs each minute. */
export async function noteAuditHead(core: Core): Promise<void> {
  await verifyAndNote(core, 'checkpoint');
}
