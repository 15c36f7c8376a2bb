import type { Role } from '@lightbox/contract/permissions.js';
import { date, type Id, id, schemaOf, string } from './fields.js';

/** What a registration of an address that has an account looks like afterwards (`auth/decoys.ts`). */
export interface DecoyDoc {
  /** Keyed hash of the address and an Argon2id digest of the password. */
  _id: string;
  /** The id that the registration was answered with; no account has it. */
  user: Id;
  username: string;
  usernameKey: string;
  firstname: string;
  lastname: string;
  role: Role;
  createAt: Date;
  expiresAt: Date;
}

export const decoy = schemaOf<DecoyDoc>({
  _id: String,
  user: id,
  username: string,
  usernameKey: string,
  firstname: { type: String, default: '' },
  lastname: { type: String, default: '' },
  role: string,
  createAt: date,
  expiresAt: date,
}).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
