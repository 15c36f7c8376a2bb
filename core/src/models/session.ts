import { date, days, type Id, id, number, schemaOf } from './fields.js';

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
  browser: String,
  system: String,
})
  .index({ user: 1, endedAt: 1 })
  .index({ endedAt: 1, lastSeenAt: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: days(30) });
