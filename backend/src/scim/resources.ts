import { doors } from '@lightbox/contract/doors.js';
import { SCIM_JSON, SCIM_USER } from '@lightbox/contract/scim/calls.js';
import type { ScimAccountDoc } from '@lightbox/core/models/scimAccount.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Response } from 'express';

const api = 'urn:ietf:params:scim:api:messages:2.0';

/** Answers in the media type of SCIM. */
export function answer(res: Response, body: object, status = 200): undefined {
  res.status(status).type(SCIM_JSON).json(body);
}

export const list = (resources: object[], totalResults = resources.length, startIndex = 1) => ({
  schemas: [`${api}:ListResponse`],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** An account as its provider sees it: no more than the provider knows already. */
export const userResource = (baseUrl: string, user: UserDoc, account: ScimAccountDoc) => ({
  schemas: [SCIM_USER],
  id: String(user._id),
  userName: account.userName,
  ...(account.externalId === undefined ? {} : { externalId: account.externalId }),
  name: { givenName: user.firstname ?? '', familyName: user.lastname ?? '' },
  emails: [{ value: user.email, primary: true }],
  active: user.active,
  meta: {
    resourceType: 'User',
    created: account.createAt.toISOString(),
    lastModified: account.updatedAt.toISOString(),
    location: `${baseUrl}${doors.scim}/Users/${user._id}`,
  },
});

export const providerConfig = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 100 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    { type: 'oauthbearertoken', name: 'Bearer token', description: 'A token that an administrator has made.' },
  ],
};

export const userType = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: 'User',
  name: 'User',
  endpoint: '/Users',
  schema: SCIM_USER,
};

const attribute = (name: string, more: object = {}) => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

export const userSchema = {
  id: SCIM_USER,
  name: 'User',
  attributes: [
    attribute('userName', { required: true, uniqueness: 'server' }),
    attribute('externalId', { caseExact: true }),
    attribute('name', { type: 'complex', subAttributes: [attribute('givenName'), attribute('familyName')] }),
    attribute('emails', {
      type: 'complex',
      multiValued: true,
      mutability: 'immutable',
      subAttributes: [attribute('value'), attribute('primary', { type: 'boolean' })],
    }),
    attribute('active', { type: 'boolean' }),
  ],
};
