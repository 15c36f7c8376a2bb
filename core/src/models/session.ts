import type { TokenScope } from '@lightbox/contract/auth/personalTokens.js';
import { date, days, type Id, id, number, part, schemaOf, string } from './fields.js';

/** A personal token. `hash`: SHA-256 of the token, in base64url. */
interface SessionToken {
  name: string;
  scopes: TokenScope[];
  hash: string;
}

export interface SessionDoc {
  _id: Id;
  user: Id;
  createAt: Date;
  lastSeenAt: Date;
  /** Absolute end, also of a busy session. */
  expiresAt: Date;
  /** Counts refreshes. The cookie contains the number that it belongs to. */
  generation: number;
  rotatedAt: Date;
  /** Time of the last step-up after the sign-in. */
  stepUpAt?: Date;
  endedAt?: Date;
  endReason?: string;
  touched?: number;
  ip: string;
  /** Set when the session is a personal token: it has no device, no refresh, and does not end by idleness. */
  token?: SessionToken;
  browser?: string;
  system?: string;
}

export const session = schemaOf<SessionDoc>({
  user: id,
  createAt: date,
  lastSeenAt: date,
  expiresAt: date,
  generation: number,
  rotatedAt: date,
  stepUpAt: Date,
  endedAt: Date,
  endReason: String,
  touched: Number,
  ip: { type: String, default: '' },
  token: part<SessionToken>({ name: string, scopes: [String], hash: string }),
  browser: String,
  system: String,
})
  .index({ user: 1, endedAt: 1 })
  .index({ endedAt: 1, lastSeenAt: 1 })
  .index({ 'token.hash': 1 }, { unique: true, partialFilterExpression: { 'token.hash': { $exists: true } } })
  .index({ expiresAt: 1 }, { expireAfterSeconds: days(30) });
