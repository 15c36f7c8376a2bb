import type { Role } from '@lightbox/contract/permissions.js';
import { date, type Id, id, schemaOf, string } from './fields.js';

/** The account that a registration of a taken address seems to have made (`auth/decoys.ts`). */
export interface DecoyDoc {
  /** Keyed hash of the address and an Argon2id digest of the password. */
  _id: string;
  /** The id in the answer to that registration; no account has it. */
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
