import type { ObjectId } from '../db/ids.js';
import { IntegrityError } from '../errors.js';
import type { Keys } from './keyring.js';
import { openText, sealText } from './seal.js';

const contextOf = (user: ObjectId) => `totp/${user}`;

/** Seals the secret of an account's authenticator app for storage, `keyId.sealed`, bound to the account. */
export const sealTotpSecret = (keys: Keys, user: ObjectId, secret: string): string =>
  sealText(keys.totp, contextOf(user), secret);

/**
 * Opens the secret. Throws `IntegrityError` when it was changed or its key is gone: then no code of the app could be
 * right.
 */
export function openTotpSecret(keys: Keys, user: ObjectId, sealed: string): string {
  const secret = openText(keys.totp, contextOf(user), sealed);
  if (secret === null) throw new IntegrityError(`The secret of totp/${user} cannot be opened.`);
  return secret;
}
