import { z } from 'zod';
import { call } from '../call.js';
import { doors } from '../doors.js';
import { Id, line, Params, Time } from '../ids.js';
import { limits } from '../limits.js';
import { texts } from '../texts.js';

/** The first characters of each token, so that people and scanners recognize one that has leaked. */
export const scimPrefix = 'lbs_';

export const SCIM_JSON = 'application/scim+json';
/** The schema of a user. */
export const SCIM_USER = 'urn:ietf:params:scim:schemas:core:2.0:User';

const names = [
  ...['userName', 'externalId', 'active', 'displayName', 'emails', 'value', 'primary'],
  ...['name', 'givenName', 'familyName', 'name.givenName', 'name.familyName'],
];
const spellings = new Map(names.map((name) => [name.toLowerCase(), name]));

/**
 * Returns the name of an attribute as the schema spells it: clients write it in any case (RFC 7643, 2.1), and the schema in
 * front of it (RFC 7644, 3.10). It is empty for the schema itself, around the attributes of a user.
 */
export function scimName(path: string): string {
  const [lower, schema] = [path.trim().toLowerCase(), SCIM_USER.toLowerCase()];
  const own = lower === schema ? '' : lower.startsWith(`${schema}:`) ? lower.slice(schema.length + 1) : lower;
  return spellings.get(own) ?? own;
}

/** Spells the attributes of an object as the schema does. Returns everything else as it is. */
export function scimSpelled(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).flatMap(([path, one]) =>
    scimName(path) === '' && isRecord(one) ? Object.entries(one) : [[path, one]],
  );
  return Object.fromEntries(entries.map(([path, one]) => [scimName(path as string), one]));
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Leaves out the attributes that are null: it is the same as absent (RFC 7643, 2.5). */
const withoutNull = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null)) : value;

/** Providers send more than the product keeps: further attributes are ignored. */
const attributes = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.preprocess((value) => withoutNull(scimSpelled(value)), z.looseObject(shape));

const Text = z.string().max(300);
/** The provider's name for an account, and its id of it. */
export const ScimNames = z.object({ userName: Text.trim().min(1, texts.required), externalId: Text.optional() });

const ScimUser = attributes({
  ...ScimNames.shape,
  // Some clients send it as text.
  active: z.union([z.boolean(), z.enum(['true', 'false', 'True', 'False'])]).optional(),
  name: attributes({ givenName: Text.optional(), familyName: Text.optional() }).optional(),
  displayName: Text.optional(),
  emails: z
    .array(attributes({ value: Text.optional(), primary: z.boolean().optional() }))
    .max(20)
    .optional(),
});
export type ScimUser = z.infer<typeof ScimUser>;

const ScimPatch = z.looseObject({
  Operations: z
    .array(
      z.looseObject({
        op: z.string().regex(/^(add|replace|remove)$/i),
        path: Text.optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(100),
});
export type ScimPatch = z.infer<typeof ScimPatch>;

const ScimQuery = z.looseObject({
  filter: z.string().max(1_000).optional(),
  startIndex: z.coerce.number().int().max(1_000_000).optional(),
  count: z.coerce.number().int().max(1_000_000).optional(),
});

export const ScimToken = z.object({
  id: Id,
  name: z.string(),
  provider: z.string(),
  createAt: Time,
  /** Time of a call with it, of the last minute or later. */
  usedAt: Time.optional(),
});
export type ScimToken = z.infer<typeof ScimToken>;

const read = { who: 'scim', binary: [SCIM_JSON] } as const;

/** SCIM 2.0 (RFC 7643, 7644): a provider of single sign-on makes its accounts here, and deactivates those of leavers. */
export const scimCalls = {
  getScimConfig: call({
    ...read,
    method: 'get',
    path: `${doors.scim}/ServiceProviderConfig`,
    summary: 'The parts of SCIM that are supported',
  }),
  getScimSchemas: call({ ...read, method: 'get', path: `${doors.scim}/Schemas`, summary: 'The attributes of a user' }),
  getScimTypes: call({
    ...read,
    method: 'get',
    path: `${doors.scim}/ResourceTypes`,
    summary: 'Users, and no other type',
  }),
  listScimUsers: call({
    ...read,
    method: 'get',
    path: `${doors.scim}/Users`,
    summary: 'The accounts of this provider; filters: userName eq, externalId eq',
    query: ScimQuery,
  }),
  getScimUser: call({
    ...read,
    method: 'get',
    path: `${doors.scim}/Users/:id`,
    summary: 'One account of this provider',
    params: Params,
  }),
  createScimUser: call({
    ...read,
    method: 'post',
    path: `${doors.scim}/Users`,
    summary: 'Make an account, or bring one back that this provider removed',
    body: ScimUser,
    status: 201,
    fails: ['CONFLICT'],
    causes: ['auth.register'],
    throttles: ['scim'],
  }),
  replaceScimUser: call({
    ...read,
    method: 'put',
    path: `${doors.scim}/Users/:id`,
    summary: 'Replace names, externalId and active',
    params: Params,
    body: ScimUser,
    fails: ['CONFLICT', 'LAST_ADMIN', 'LAST_BREAK_GLASS'],
  }),
  patchScimUser: call({
    ...read,
    method: 'patch',
    path: `${doors.scim}/Users/:id`,
    summary: 'Change some attributes. With active false, all sessions, tokens and live connections end at once',
    params: Params,
    body: ScimPatch,
    fails: ['CONFLICT', 'LAST_ADMIN', 'LAST_BREAK_GLASS'],
  }),
  deleteScimUser: call({
    ...read,
    method: 'delete',
    path: `${doors.scim}/Users/:id`,
    summary: 'Deactivate the account, and forget it in SCIM. Its images stay',
    params: Params,
    status: 204,
    fails: ['CONFLICT', 'LAST_ADMIN', 'LAST_BREAK_GLASS'],
  }),
  listScimTokens: call({
    method: 'get',
    path: '/admin/scim-tokens',
    who: 'scim.manage',
    action: 'scim.listed',
    summary: 'The tokens of SCIM; the newest first',
    data: z.array(ScimToken),
  }),
  createScimToken: call({
    method: 'post',
    path: '/admin/scim-tokens',
    who: 'scim.manage',
    action: 'scim.tokenCreated',
    stepUp: 'recent',
    summary: 'A token with which a provider manages its accounts; it is shown in this answer only',
    body: z.strictObject({ name: line(limits.tokenNameLength).min(1, texts.required), provider: z.string().max(40) }),
    data: ScimToken.extend({ token: z.string() }),
    status: 201,
    fails: ['NOT_FOUND'],
    throttles: ['securityChange'],
  }),
  revokeScimToken: call({
    method: 'delete',
    path: '/admin/scim-tokens/:id',
    who: 'scim.manage',
    action: 'scim.tokenRevoked',
    summary: 'End a token of SCIM at once',
    params: Params,
  }),
};
