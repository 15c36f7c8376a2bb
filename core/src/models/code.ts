import type { CodeSeed } from '../keys/codes.js';
import { date, hours, type Id, id, Mixed, number, schemaOf, string } from './fields.js';

export interface CodeDoc extends CodeSeed {
  _id: Id;
  user: Id;
  /**
   * `totp` mails nothing: it counts the tries of one sign-in with an app or a recovery code. `notMe` is never a code to type, but
   * the link that takes back a change.
   */
  purpose: 'signIn' | 'totp' | 'reset' | 'stepUp' | 'notMe';
  undo?: Undo;
  tries: number;
  /** The network that asked for a reset code, as a keyed hash, and the tries made from there. */
  askedFrom?: string;
  askersTries?: number;
  /** The network from which a reset code was used, in the same form. */
  usedFrom?: string;
  usedAt?: Date;
  createAt: Date;
  expiresAt: Date;
}

/** What the link of a mail takes back: an app or a password since then, recovery codes of then, or that passkey. */
export type Undo = { app: Date } | { password: Date } | { recoveryCodes: Date } | { passkey: Id };

/** The fields of a `CodeSeed`. */
export const codeSeed = { keyId: string, salt: string };

export const code = schemaOf<CodeDoc>({
  ...codeSeed,
  user: id,
  purpose: string,
  undo: Mixed,
  tries: number,
  askedFrom: String,
  askersTries: Number,
  usedFrom: String,
  usedAt: Date,
  createAt: date,
  expiresAt: date,
})
  .index({ user: 1, purpose: 1, createAt: -1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: hours(1) });
