import { date, schemaOf } from './fields.js';

/**
 * A username that looks taken. It was requested with an address that has an account, and that account must not show.
 */
export interface UsernameHoldDoc {
  /** The username in lower case. */
  _id: string;
  expiresAt: Date;
}

export const usernameHold = schemaOf<UsernameHoldDoc>(
  { _id: String, expiresAt: date },
  { collection: 'usernameholds' },
).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
