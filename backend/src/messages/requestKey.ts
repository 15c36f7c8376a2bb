import type { Actor } from '@lightbox/core/events/events.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';

const PREFIX = 'key:';

/**
 * Returns how a repeated message is known: by the `clientId` that the sender chose, else by the `Idempotency-Key` of the
 * request, which is kept in the same field.
 */
export function repeatable({ idempotency }: Actor, clientId: string | undefined) {
  if (clientId || !idempotency) return { clientId: clientId?.toLowerCase() };
  const key = idempotency.key.split(':').at(-1);
  return { clientId: `${PREFIX}${key}`, request: idempotency.request };
}

/** Returns the `clientId` that the sender chose, if there is one. */
export const chosenId = ({ clientId }: Pick<MessageDoc, 'clientId'>): string | undefined =>
  clientId?.startsWith(PREFIX) ? undefined : clientId;
