import { verifyAndNote } from '@lightbox/core/audit/noteHead.js';
import type { Core } from '@lightbox/core/core.js';

/** Each minute: the new entries of the audit log are verified, and its end is noted elsewhere. */
export async function noteAuditHead(core: Core): Promise<void> {
  await verifyAndNote(core, 'checkpoint');
}
