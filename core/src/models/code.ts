import type { CodeSeed } from '../keys/codes.js';
import { date, hours, type Id, id, Mixed, number, schemaOf, string } from './fields.js';
import { type SignOn, signOn } from './signOn.js';

export interface CodeDoc extends CodeSeed {
  _id: Id;
  user: Id;
  /**
   * `totp` is never mailed: it counts the tries of one sign-in with an app or a recovery code. `notMe` is never typed:
   * it is the link that takes back a change.
   */
  purpose: 'signIn' | 'totp' | 'reset' | 'stepUp' | 'notMe';
  undo?: Undo;
  /** The sign-in at a provider that this code completes. */
  signOn?: SignOn;
  tries: number;
  /** The network that requested a reset code, as a keyed hash, and the number of tries from there. */
  askedFrom?: string;
  askersTries?: number;
  /** The network from which a reset code was used, in the same form. */
  usedFrom?: string;
  usedAt?: Date;
  createAt: Date;
  expiresAt: Date;
}

/**
 * The change that the link of a mail takes back: an app or a password since that time, the recovery codes of that time,
 * that passkey, or that linked sign-in.
 */
export type Undo = { app: Date } | { password: Date } | { recoveryCodes: Date } | { passkey: Id } | { identity: Id };

/** The fields of a `CodeSeed`. */
export const codeSeed = { keyId: string, salt: string };

export const code = schemaOf<CodeDoc>({
  ...codeSeed,
  user: id,
  purpose: string,
  undo: Mixed,
  signOn,
  tries: number,
  askedFrom: String,
  askersTries: Number,
  usedFrom: String,
  usedAt: Date,
  createAt: date,
  expiresAt: date,
})
  .index({ user: 1, purpose: 1, createAt: -1 })
  .index({ 'signOn.sid': 1 }, { partialFilterExpression: { 'signOn.sid': { $exists: true } } })
  .index({ expiresAt: 1 }, { expireAfterSeconds: hours(1) });
