import { verifyAndNote } from '@lightbox/core/audit/watch.js';
import type { Core } from '@lightbox/core/core.js';

/** Each minute: what is new in the audit log is verified, and its end is noted elsewhere. */
export const noteAuditHead = (core: Core): Promise<unknown> => verifyAndNote(core, 'checkpoint');
