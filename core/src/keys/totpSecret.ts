import type { ObjectId } from '../db/ids.js';
import type { Keys } from './keyring.js';
import { openText, sealText } from './seal.js';

const contextOf = (user: ObjectId) => `totp/${user}`;

/** The secret of an account's authenticator app as it is stored, `keyId.sealed`, bound to the account. */
export const sealTotpSecret = (keys: Keys, user: ObjectId, secret: string): string =>
  sealText(keys.totp, contextOf(user), secret);

/** Null when it was changed, or its key is gone. */
export const openTotpSecret = (keys: Keys, user: ObjectId, sealed: string): string | null =>
  openText(keys.totp, contextOf(user), sealed);
