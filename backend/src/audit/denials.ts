import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { Gateway } from '../context.js';

interface Denied {
  /** No action: the refusal is not recorded. */
  type: AuditAction | undefined;
  /** The id of the record, as the client wrote it. */
  record: unknown;
  records?: ObjectId[];
}

/** Records in the audit log that something was refused, or is not there for this person. Other errors are none of its kind. */
export async function recordDenial(
  gateway: Gateway,
  actor: Actor,
  { type, record, records }: Denied,
  error: unknown,
): Promise<void> {
  if (!type || !(error instanceof AppError)) return;
  if (error.status !== 403 && error.code !== 'NOT_FOUND') return;
  const named = typeof record === 'string' && /^[0-9a-f]{24}$/i.test(record) ? { record: oid(record) } : {};
  await gateway.events
    .record(actor, { type, status: 'denied', reason: error.code, ...named, ...(records ? { records } : {}) })
    .catch((failed) => gateway.log.error({ err: failed }, 'a refusal could not be recorded'));
}
