import { type Actor, usedKey } from '@lightbox/core/events/events.js';
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

/** Refuses a key that came with another message before. */
export function requireSame({ request }: Pick<MessageDoc, 'request'>, earlier: MessageDoc): void {
  if (request && request !== earlier.request) throw usedKey();
}

/** The status of an answer: a repeated key has the same one, and a repeated `clientId` says that nothing was sent. */
export const statusOf = (created: boolean, clientId: string | undefined): 200 | 201 =>
  created || clientId === undefined ? 201 : 200;

/** Returns the `clientId` that the sender chose, if there is one. */
export const chosenId = ({ clientId }: Pick<MessageDoc, 'clientId'>): string | undefined =>
  clientId?.startsWith(PREFIX) ? undefined : clientId;
