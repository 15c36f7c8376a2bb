import { line } from '@lightbox/contract/ids.js';
import {
  isRecord,
  ScimNames,
  type ScimPatch,
  type ScimUser,
  type scimCalls,
  scimName,
  scimSpelled,
} from '@lightbox/contract/scim/calls.js';
import { Email } from '@lightbox/contract/users/schemas.js';
import { renameOnCards } from '@lightbox/core/access/cards.js';
import { touch } from '@lightbox/core/access/hold.js';
import { isDuplicate, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { IdentityDoc } from '@lightbox/core/models/identity.js';
import type { ScimAccountDoc } from '@lightbox/core/models/scimAccount.js';
import type { ScimTokenDoc } from '@lightbox/core/models/scimToken.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { searchFields } from '@lightbox/core/users/search.js';
import type { PipelineStage } from 'mongoose';
import { cutSockets } from '../auth/sessions.js';
import type { Context, Gateway } from '../context.js';
import { namesOf, newAccount, storeAccount } from '../signOn/account.js';
import { setActive } from '../users/setActive.js';
import { answer, list, providerConfig, userResource, userSchema, userType } from './resources.js';

const MOST = 100;

interface Managed {
  user: UserDoc;
  account: ScimAccountDoc;
}

/** The attributes that a call of SCIM changes. An absent one stays. */
interface Change {
  userName?: string | undefined;
  externalId?: string | undefined;
  firstname?: string | undefined;
  lastname?: string | undefined;
  active?: boolean | undefined;
}

const keyOf = (userName: string) => userName.trim().toLowerCase();
const actorOf = ({ _id }: ScimTokenDoc, { ip }: Actor): Actor => ({ ip, token: _id });

/**
 * Returns those of the accounts that are this provider's: made by its SCIM, or linked by a sign-in there. No other account
 * exists for it.
 */
async function managedOf(gateway: Gateway, { provider }: ScimTokenDoc, ids: readonly ObjectId[]): Promise<Managed[]> {
  const { User, ScimAccount, Identity } = gateway.models;
  const { issuer } = gateway.signOn.require(provider);
  const [users, accounts, identities] = await Promise.all([
    User.find({ _id: { $in: ids }, deletedAt: { $exists: false } }).lean<UserDoc[]>(),
    ScimAccount.find({ _id: { $in: ids } }).lean<ScimAccountDoc[]>(),
    Identity.find({ user: { $in: ids }, issuer }).lean<IdentityDoc[]>(),
  ]);
  return ids.flatMap((id) => {
    const user = users.find(({ _id }) => _id.equals(id));
    const account = accounts.find(({ _id }) => _id.equals(id));
    const identity = identities.find((one) => one.user.equals(id));
    if (!user || account?.removedAt) return [];
    if (account) return account.provider === provider ? [{ user, account }] : [];
    return identity ? [{ user, account: unmanaged(user, provider, identity.createAt) }] : [];
  });
}

async function requireManaged(gateway: Gateway, token: ScimTokenDoc, id: string): Promise<Managed> {
  const [managed] = await managedOf(gateway, token, [oid(id)]);
  if (!managed) throw new AppError('NOT_FOUND');
  return managed;
}

/** The record of an account that SCIM has not changed yet. */
const unmanaged = ({ _id, email }: UserDoc, provider: string, at: Date): ScimAccountDoc => ({
  _id,
  provider,
  userName: email,
  userNameKey: email,
  createAt: at,
  updatedAt: at,
  off: false,
});

const shown = ({ config }: Gateway, { user, account }: Managed) => userResource(config.publicUrl, user, account);

/** Every read is in the log, with the token that read. */
const recordRead = ({ events }: Gateway, token: ScimTokenDoc, actor: Actor, found: readonly Managed[]) =>
  events.record(actorOf(token, actor), {
    type: 'scim.read',
    records: found.map(({ user }) => user._id),
    ...(found.length === 1 && found[0] ? { record: found[0].user._id } : {}),
  });

export const getScimConfig = async ({ res }: Context<typeof scimCalls.getScimConfig>) => answer(res, providerConfig);
export const getScimSchemas = async ({ res }: Context<typeof scimCalls.getScimSchemas>) =>
  answer(res, list([userSchema]));
export const getScimTypes = async ({ res }: Context<typeof scimCalls.getScimTypes>) => answer(res, list([userType]));

export async function getScimUser({ gateway, actor, scim, params, res }: Context<typeof scimCalls.getScimUser>) {
  const managed = await requireManaged(gateway, scim, params.id);
  await recordRead(gateway, scim, actor, [managed]);
  return answer(res, shown(gateway, managed));
}

export async function listScimUsers({ gateway, actor, scim, query, res }: Context<typeof scimCalls.listScimUsers>) {
  const startIndex = Math.max(1, query.startIndex ?? 1);
  const page = { skip: startIndex - 1, limit: Math.min(Math.max(0, query.count ?? MOST), MOST) };
  const { ids, total } = await (query.filter === undefined
    ? pageOf(gateway, scim, page)
    : filtered(gateway, scim, query.filter, page));
  const found = await managedOf(gateway, scim, ids);
  await recordRead(gateway, scim, actor, found);
  return answer(
    res,
    list(
      found.map((one) => shown(gateway, one)),
      total,
      startIndex,
    ),
  );
}

interface Page {
  skip: number;
  limit: number;
}
interface Found {
  ids: ObjectId[];
  total: number;
}

/**
 * Reads one page of the provider's accounts: those that its SCIM has made or changed, then those that are only linked.
 * The database cuts the page, so an answer costs the gateway the same however many accounts there are.
 */
async function pageOf(gateway: Gateway, { provider }: ScimTokenDoc, { skip, limit }: Page): Promise<Found> {
  const { ScimAccount, Identity } = gateway.models;
  const { issuer } = gateway.signOn.require(provider);
  const here = { provider, removedAt: null };
  const linked: PipelineStage[] = [
    { $match: { issuer } },
    { $sort: { issuer: 1, user: 1 } },
    { $lookup: { from: ScimAccount.collection.name, localField: 'user', foreignField: '_id', as: 'account' } },
    { $match: { account: [] } },
  ];
  const [managed = 0, [counted]] = await Promise.all([
    ScimAccount.countDocuments(here),
    Identity.aggregate<{ total: number }>([...linked, { $count: 'total' }]),
  ]);
  const total = managed + (counted?.total ?? 0);
  const ids: ObjectId[] = [];
  if (limit > 0 && skip < managed) {
    const accounts = await ScimAccount.find(here, { _id: 1 }).sort({ _id: 1 }).skip(skip).limit(limit).lean();
    ids.push(...accounts.map(({ _id }) => _id));
  }
  const left = limit - ids.length;
  if (left > 0 && skip + ids.length < total) {
    const cut = [{ $skip: Math.max(0, skip - managed) }, { $limit: left }, { $project: { user: 1 } }];
    ids.push(...(await Identity.aggregate<Pick<IdentityDoc, 'user'>>([...linked, ...cut])).map(({ user }) => user));
  }
  return { ids, total };
}

/** Returns the page of the accounts that a filter lets pass: `userName eq "…"` or `externalId eq "…"`. */
async function filtered(gateway: Gateway, scim: ScimTokenDoc, filter: string, { skip, limit }: Page): Promise<Found> {
  const ids = await idsOf(gateway, scim, filter);
  return { ids: ids.slice(skip, skip + limit), total: ids.length };
}

async function idsOf(gateway: Gateway, { provider }: ScimTokenDoc, filter: string): Promise<ObjectId[]> {
  const { User, ScimAccount, Identity } = gateway.models;
  const { issuer } = gateway.signOn.require(provider);
  const here = { provider, removedAt: null };
  const [, path = '', quoted = ''] = /^\s*(\S+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i.exec(filter) ?? [];
  const [attribute, value] = [scimName(path), parsed(quoted)];
  if (value === null || !['userName', 'externalId'].includes(attribute))
    throw new AppError('BAD_REQUEST', { message: 'This filter is not supported.' });
  if (attribute === 'externalId') {
    const accounts = await ScimAccount.find({ ...here, externalId: value }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(MOST)
      .lean();
    return accounts.map(({ _id }) => _id);
  }
  const managed = await ScimAccount.distinct('_id', { ...here, userNameKey: keyOf(value) });
  if (managed.length > 0) return managed;
  const user = await User.findOne({ email: keyOf(value), deletedAt: { $exists: false } }, { _id: 1 }).lean();
  const unchanged = user && !(await ScimAccount.exists({ _id: user._id }));
  return unchanged && (await Identity.exists({ user: user._id, issuer })) ? [user._id] : [];
}

function parsed(quoted: string): string | null {
  try {
    const value: unknown = JSON.parse(quoted);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

const flag = (value: unknown): boolean | undefined =>
  value === undefined
    ? undefined
    : /^(true|false)$/i.test(String(value))
      ? /^t/i.test(String(value))
      : invalid('active');

/** Returns a name of the provider for an account, by the rules of a whole account; undefined when the change has none. */
function providerName(field: keyof typeof ScimNames.shape, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const { success, data } = ScimNames.shape[field].safeParse(value);
  return success ? data : invalid(field);
}
const usableName = (value: unknown): string | undefined => line(80).min(1).safeParse(value).data;
const name = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : (usableName(value) ?? invalid('name'));

function invalid(field: string): never {
  throw fieldError(field, 'This value cannot be used.');
}

const changeOf = (body: Partial<ScimUser>, nameOf = name): Change => ({
  userName: body.userName,
  externalId: body.externalId,
  firstname: nameOf(body.name?.givenName),
  lastname: nameOf(body.name?.familyName),
  active: flag(body.active),
});

const taken = () => new AppError('CONFLICT', { message: 'There is an account with this name already.' });

export async function createScimUser({ gateway, actor, scim, body, res }: Context<typeof scimCalls.createScimUser>) {
  const provider = gateway.signOn.require(scim.provider);
  const primary = body.emails?.find((one) => one.primary) ?? body.emails?.[0];
  const email = Email.safeParse(primary?.value ?? body.userName).data ?? invalid('emails');
  const { ScimAccount, User } = gateway.models;
  const before = await ScimAccount.findOne({
    provider: provider.id,
    userNameKey: keyOf(body.userName),
  }).lean<ScimAccountDoc>();
  if (before?.removedAt) {
    const user = await User.findOne({ _id: before._id, deletedAt: { $exists: false } }).lean<UserDoc>();
    if (!user) throw new AppError('NOT_FOUND');
    // Names are given to the next person: an account comes back for its own one alone.
    const isSame = user.email === email || (!!body.externalId && body.externalId === before.externalId);
    if (!isSame) throw taken();
    const given = changeOf(body, usableName);
    const wanted = { ...given, active: given.active ?? true };
    const changed = await change(gateway, actor, scim, { user, account: before }, wanted, { removedAt: null });
    return answer(res, shown(gateway, changed), 201);
  }
  const existing = await User.exists({ email });
  if (before || existing) throw taken();
  // An account is made in any case: a name that cannot be used is left out.
  const { firstname, lastname, externalId, active } = changeOf(body, usableName);
  const claims = { given_name: firstname, family_name: lastname, name: body.displayName };
  const role = provider.defaultRole ?? 'healthProvider';
  const user = await newAccount(gateway, email, provider, role, namesOf(claims, email));
  user.active = active ?? true;
  const account: ScimAccountDoc = {
    ...unmanaged(user, provider.id, user.createAt),
    userName: body.userName,
    userNameKey: keyOf(body.userName),
    off: !user.active,
    ...(externalId === undefined ? {} : { externalId }),
  };
  await gateway.events
    .change(actorOf(scim, actor), async (tx) => {
      await storeAccount(gateway, tx, user, `scim:${provider.id}`);
      await ScimAccount.create([account], { session: tx.session });
      return user._id;
    })
    .catch((error) => {
      throw isDuplicate(error) ? new AppError('CONFLICT') : error;
    });
  return answer(res, userResource(gateway.config.publicUrl, user, account), 201);
}

export async function replaceScimUser(context: Context<typeof scimCalls.replaceScimUser>) {
  const { gateway, actor, scim, params, body, res } = context;
  const managed = await requireManaged(gateway, scim, params.id);
  return answer(res, shown(gateway, await change(gateway, actor, scim, managed, changeOf(body))));
}

export async function patchScimUser(context: Context<typeof scimCalls.patchScimUser>) {
  const { gateway, actor, scim, params, body, res } = context;
  const managed = await requireManaged(gateway, scim, params.id);
  const wanted: Change = {};
  for (const operation of body.Operations) Object.assign(wanted, wantedBy(operation));
  return answer(res, shown(gateway, await change(gateway, actor, scim, managed, wanted)));
}

/**
 * Returns the change of an operation. Attributes that the product does not keep are ignored. An operation about one that it
 * keeps is done, or refused: a provider that reads 200 believes that its leaver is inactive.
 */
function wantedBy({ op, path = '', value }: ScimPatch['Operations'][number]): Change {
  const name = scimName(path);
  if (/^remove$/i.test(op)) return name === '' || kept.has(name) ? invalid('path') : {};
  const fields = name === '' ? value : { [name]: value };
  if (value === undefined || !isRecord(fields)) return invalid('value');
  return known(scimSpelled(fields) as Record<string, unknown>);
}

const kept: ReadonlySet<string> = new Set([
  ...['userName', 'externalId', 'active'],
  ...['name', 'name.givenName', 'name.familyName'],
]);

/** Returns the attributes that the product keeps. */
function known(given: Record<string, unknown>): Change {
  const nested = scimSpelled(given.name ?? {});
  const names = isRecord(nested) ? nested : invalid('name');
  const found: Change = {
    userName: providerName('userName', given.userName),
    externalId: providerName('externalId', given.externalId),
    firstname: name(given['name.givenName'] ?? names.givenName),
    lastname: name(given['name.familyName'] ?? names.familyName),
    active: flag(given.active),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

export async function deleteScimUser({ gateway, actor, scim, params, res }: Context<typeof scimCalls.deleteScimUser>) {
  const managed = await requireManaged(gateway, scim, params.id);
  await change(gateway, actor, scim, managed, { active: false }, { removedAt: gateway.clock.now() });
  res.status(204).end();
  return undefined;
}

/** Changes an account for its provider. The provider may activate only accounts that it has deactivated itself. */
async function change(
  gateway: Gateway,
  actor: Actor,
  token: ScimTokenDoc,
  { user, account }: Managed,
  { userName, externalId, firstname, lastname, active }: Change,
  /** The time of the removal, or null when the account is made again. */
  { removedAt }: { removedAt?: Date | null } = {},
): Promise<Managed> {
  const { ScimAccount, User } = gateway.models;
  const { _id } = user;
  const names = { ...(firstname ? { firstname } : {}), ...(lastname ? { lastname } : {}) };
  let [changed, ended]: [Managed, ObjectId[]] = [{ user, account }, []];
  await gateway.events
    .change(actorOf(token, actor), async (tx) => {
      // Written, because a closed account gets no name again, and because an administrator's switch counts.
      const found = { _id, deletedAt: { $exists: false } };
      const now = await User.findOneAndUpdate(found, touch, { session: tx.session }).lean<UserDoc>();
      if (!now) throw new AppError('NOT_FOUND');
      const kept = (await ScimAccount.findById(_id).session(tx.session).lean<ScimAccountDoc>()) ?? account;
      const switched = active !== undefined && active !== now.active && (!active || kept.off);
      ended = switched ? await setActive(gateway, tx, now, active, `scim:${token.provider}`) : [];
      const next: ScimAccountDoc = {
        ...kept,
        ...(userName ? { userName, userNameKey: keyOf(userName) } : {}),
        ...(externalId === undefined ? {} : { externalId }),
        ...(switched ? { off: !active } : {}),
        updatedAt: gateway.clock.now(),
      };
      changed = { user: { ...now, ...names, active: switched ? active : now.active }, account: next };
      const { _id: __, removedAt: ___, ...fields } = next;
      const update = {
        $set: { ...fields, ...(removedAt ? { removedAt } : {}) },
        ...(removedAt === null ? { $unset: { removedAt: 1 } } : {}),
      };
      await ScimAccount.updateOne({ _id }, update, { upsert: true, session: tx.session });
      const named = { ...now, ...names };
      if (named.firstname !== now.firstname || named.lastname !== now.lastname) {
        await User.updateOne({ _id }, { $set: { ...names, ...searchFields(named) } }, { session: tx.session });
        await renameOnCards(gateway.models, _id, named, tx.session);
      }
      tx.record({ type: 'scim.changed', record: _id, reason: token.provider });
      return _id;
    })
    .catch((error) => {
      throw isDuplicate(error) ? new AppError('CONFLICT') : error;
    });
  cutSockets(gateway, ended, 'deactivated');
  return changed;
}
