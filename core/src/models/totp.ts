import { date, type Id, number, part, schemaOf, string } from './fields.js';

/** An account's authenticator app, and the recovery codes of all its authenticators. */
export interface TotpDoc {
  /** The account's id. */
  _id: Id;
  /** Sealed with the key ring; absent while there is no app. */
  secret?: string;
  createAt: Date;
  /** Absent until a first right code has shown that the app has the secret. */
  confirmedAt?: Date;
  /** The last time step whose code was used; no code counts twice. */
  lastStep: number;
  /** Wrong codes in a row outside a sign-in. */
  tries: number;
  recoveryCodes: RecoveryCode[];
  recoveryAt?: Date;
}

interface RecoveryCode {
  keyId: string;
  hash: string;
}

export const totp = schemaOf<TotpDoc>({
  secret: String,
  createAt: date,
  confirmedAt: Date,
  lastStep: number,
  tries: number,
  recoveryCodes: { type: [part<RecoveryCode>({ keyId: string, hash: string })], required: true },
  recoveryAt: Date,
})
  // A secret begins with the id of its key.
  .index({ secret: 1 });
