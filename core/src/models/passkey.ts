import { bool, bytes, date, type Id, id, number, schemaOf, string } from './fields.js';

/** A passkey (WebAuthn) of an account. */
export interface PasskeyDoc {
  _id: Id;
  user: Id;
  /** The id that the authenticator gave it, base64url. */
  credentialId: string;
  /** In COSE format. */
  publicKey: Buffer;
  /** The authenticator's count of its uses; stays 0 for authenticators that do not count. */
  counter: number;
  transports: string[];
  synced: boolean;
  name: string;
  createAt: Date;
  usedAt?: Date;
}

export const passkey = schemaOf<PasskeyDoc>({
  user: id,
  credentialId: string,
  publicKey: bytes,
  counter: number,
  transports: { type: [String], required: true },
  synced: bool,
  name: string,
  createAt: date,
  usedAt: Date,
})
  .index({ credentialId: 1 }, { unique: true })
  .index({ user: 1, createAt: 1 });
