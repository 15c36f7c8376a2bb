import { createHmac, randomBytes } from 'node:crypto';
import { secretPrefix } from '@lightbox/contract/webhooks/calls.js';
import type { Keys } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { SealedValue } from '../models/sealedValue.js';
import type { WebhookDoc } from '../models/webhook.js';

/** Standard Webhooks asks for 24 to 64 bytes. */
const BYTES = 32;

const contextOf = (id: WebhookDoc['_id']) => `webhook ${id}`;

export const newSecret = (): Buffer => randomBytes(BYTES);

/** Returns the text of the secret that its owner sees once. */
export const showSecret = (secret: Buffer): string => `${secretPrefix}${secret.toString('base64')}`;

export const sealSecret = (keys: Keys, id: WebhookDoc['_id'], secret: Buffer): SealedValue =>
  sealValue(keys.webhooks, contextOf(id), secret);

export const openSecret = (keys: Keys, id: WebhookDoc['_id'], secret: SealedValue): Buffer =>
  openValue(keys.webhooks, contextOf(id), secret);

/** Returns both secrets, sealed again with the current key, so that the key of the first stands for both. */
export function sealSecretsAgain(
  keys: Keys,
  { _id, secret, previous }: Pick<WebhookDoc, '_id' | 'secret' | 'previous'>,
): Pick<WebhookDoc, 'secret' | 'previous'> {
  const again = (value: SealedValue) => sealSecret(keys, _id, openSecret(keys, _id, value));
  return { secret: again(secret), ...(previous ? { previous: again(previous) } : {}) };
}

/** The part of a delivery that is signed. `at` is the time of the try, in seconds. */
export interface Signed {
  id: string;
  at: number;
  body: string;
}

/** Returns `webhook-signature` (Standard Webhooks, v1): one signature for each secret. */
export const signatures = (secrets: readonly Buffer[], { id, at, body }: Signed): string =>
  secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64')}`)
    .join(' ');
