import { type Actor, usedKey } from '@lightbox/core/events/events.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { Draft } from './messageWriter.js';

const PREFIX = 'key:';

type Repeatable = Pick<Draft, 'clientId' | 'sentId' | 'requests'>;

/**
 * Returns how a repeated message is known: by the `clientId` that the sender chose, in upper or lower case, else by the
 * `Idempotency-Key` of the request, which is kept in the same field.
 */
export function repeatable({ idempotency }: Actor, clientId: string | undefined): Repeatable {
  const lower = clientId?.toLowerCase();
  if (lower || !idempotency) return { clientId: lower, ...(lower === clientId ? {} : { sentId: clientId }) };
  const key = idempotency.key.split(':').at(-1);
  return { clientId: `${PREFIX}${key}`, requests: idempotency.requests };
}

/** Refuses a key that came with another message before. */
export function requireSame({ requests }: Pick<Draft, 'requests'>, earlier: MessageDoc): void {
  if (requests && !requests.includes(earlier.request ?? '')) throw usedKey();
}

/** The status of an answer: a repeated key has the same one, and a repeated `clientId` says that nothing was sent. */
export const statusOf = (created: boolean, clientId: string | undefined): 200 | 201 =>
  created || clientId === undefined ? 201 : 200;

/** Returns the `clientId` that the sender chose, as it was sent, if there is one. Clients compare it with their own. */
export const chosenId = ({ clientId, sentId }: Pick<MessageDoc, 'clientId' | 'sentId'>): string | undefined =>
  clientId?.startsWith(PREFIX) ? undefined : (sentId ?? clientId);
