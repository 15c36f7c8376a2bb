import { bool, date, type Id, schemaOf, string } from './fields.js';

/** An account that a provider manages by SCIM, with the names that the provider has for it. The id is that of the account. */
export interface ScimAccountDoc {
  _id: Id;
  provider: string;
  userName: string;
  /** In lower case: SCIM compares it without case. */
  userNameKey: string;
  externalId?: string;
  createAt: Date;
  updatedAt: Date;
  /** The provider deactivated the account, so it may activate it again. An administrator's switch it may not undo. */
  off: boolean;
  /** Since then SCIM answers 404 for it. */
  removedAt?: Date;
}

export const scimAccount = schemaOf<ScimAccountDoc>(
  {
    provider: string,
    userName: string,
    userNameKey: string,
    externalId: String,
    createAt: date,
    updatedAt: date,
    off: bool,
    removedAt: Date,
  },
  { collection: 'scimaccounts' },
)
  .index({ provider: 1, userNameKey: 1 }, { unique: true })
  .index({ provider: 1, externalId: 1 })
  // The lists of SCIM.
  .index({ provider: 1, removedAt: 1, _id: 1 });
