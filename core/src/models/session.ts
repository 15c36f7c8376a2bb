import type { AnyScope } from '@lightbox/contract/auth/personalTokens.js';
import type { ShareTarget } from '../access/shares.js';
import { date, days, type Id, id, number, ObjectId, part, schemaOf, string } from './fields.js';
import { type SignOn, signOn } from './signOn.js';

/** A personal token. `hash`: SHA-256 of the token, in base64url. */
interface SessionToken {
  name: string;
  scopes: AnyScope[];
  hash: string;
  /** The one image or study that it opens. Absent: everything of its person. */
  only?: ShareTarget;
  /** The share on which it rests: the token ends with it. */
  share?: Id;
  /** The session in which it was made, of a token for another viewer: a sign-out there ends it. */
  session?: Id;
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
  /** Set when the person signed in at a provider of single sign-on. */
  signOn?: SignOn;
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
  token: part<SessionToken>({
    name: string,
    scopes: [String],
    hash: string,
    only: part<ShareTarget>({ image: id, study: ObjectId }),
    share: ObjectId,
    session: ObjectId,
  }),
  signOn,
  browser: String,
  system: String,
})
  .index({ user: 1, endedAt: 1 })
  .index({ endedAt: 1, lastSeenAt: 1 })
  .index({ 'signOn.sid': 1 }, { partialFilterExpression: { 'signOn.sid': { $exists: true } } })
  .index({ 'signOn.identity': 1 }, { partialFilterExpression: { 'signOn.identity': { $exists: true } } })
  .index({ 'token.hash': 1 }, { unique: true, partialFilterExpression: { 'token.hash': { $exists: true } } })
  .index({ 'token.share': 1 }, { partialFilterExpression: { 'token.share': { $exists: true } } })
  .index({ 'token.session': 1 }, { partialFilterExpression: { 'token.session': { $exists: true } } })
  .index({ expiresAt: 1 }, { expireAfterSeconds: days(30) });
