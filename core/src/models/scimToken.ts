import { date, type Id, id, schemaOf, string } from './fields.js';

/** A token with which a provider of single sign-on manages its accounts (SCIM). `hash`: SHA-256, in base64url. */
export interface ScimTokenDoc {
  _id: Id;
  name: string;
  provider: string;
  hash: string;
  madeBy: Id;
  createAt: Date;
  usedAt?: Date;
}

export const scimToken = schemaOf<ScimTokenDoc>(
  { name: string, provider: string, hash: string, madeBy: id, createAt: date, usedAt: Date },
  { collection: 'scimtokens' },
).index({ hash: 1 }, { unique: true });
