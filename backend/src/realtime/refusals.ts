import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import type { ClientEvent } from '@lightbox/contract/events.js';
import type { AppError } from '@lightbox/core/errors.js';
import { recordDenial } from '../audit/denials.js';
import type { Gateway } from '../context.js';
import type { Client } from './rooms.js';

/**
 * The action under which the refusal of an event is in the log, and the field that names its record. Null: panes and pointers,
 * which go on while access ends, and what names nothing.
 */
const refusedAs: Record<ClientEvent, { type: AuditAction; field?: string } | null> = {
  'message:send': { type: 'message.use' },
  'message:delivered': { type: 'message.use' },
  'message:read': { type: 'message.use', field: 'userId' },
  typing: { type: 'message.use', field: 'userId' },
  'view:join': { type: 'image.view', field: 'imageId' },
  'view:leave': null,
  'view:state': null,
  'view:pointer': null,
  visible: null,
};

/** Records that an event was refused in the audit log. */
export async function recordRefusal(
  gateway: Gateway,
  { data: { viewer, ip } }: Client,
  name: string,
  payload: unknown,
  error: AppError,
): Promise<void> {
  const refused = Object.hasOwn(refusedAs, name) ? refusedAs[name as ClientEvent] : null;
  if (!refused) return;
  const { type, field = '' } = refused;
  const record = (payload as Record<string, unknown> | null | undefined)?.[field];
  await recordDenial(gateway, { id: viewer._id, ip }, { type, record }, error);
}
