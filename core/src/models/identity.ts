import { date, type Id, id, schemaOf, string } from './fields.js';

/** A person at a provider of single sign-on who signs in to an account here. */
export interface IdentityDoc {
  _id: Id;
  user: Id;
  /** The provider's id in the configuration. */
  provider: string;
  issuer: string;
  /** The provider's id of the person, `sub`. */
  subject: string;
  createAt: Date;
  usedAt?: Date;
}

export const identity = schemaOf<IdentityDoc>({
  user: id,
  provider: string,
  issuer: string,
  subject: string,
  createAt: date,
  usedAt: Date,
})
  .index({ issuer: 1, subject: 1 }, { unique: true })
  .index({ user: 1, issuer: 1 }, { unique: true })
  // The lists of SCIM.
  .index({ issuer: 1, user: 1 });
