import { line } from '@lightbox/contract/ids.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { plain } from '@lightbox/contract/plain.js';
import { Email, Username } from '@lightbox/contract/users/schemas.js';
import { touch } from '@lightbox/core/access/hold.js';
import type { SignOnProvider } from '@lightbox/core/config/singleSignOn.js';
import { isDuplicate, newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, Transaction } from '@lightbox/core/events/events.js';
import type { IdentityDoc } from '@lightbox/core/models/identity.js';
import type { Person, UserDoc } from '@lightbox/core/models/user.js';
import { sealPerson } from '@lightbox/core/users/profile.js';
import { searchFields } from '@lightbox/core/users/search.js';
import { accountRefusal } from '../auth/accountRefusal.js';
import { endAccess } from '../auth/endAccess.js';
import { cutSockets } from '../auth/sessions.js';
import { isHeld } from '../auth/usernames.js';
import type { Gateway } from '../context.js';
import { acceptInvites } from '../sharing/acceptInvites.js';
import { activeAdmins } from '../users/admins.js';
import { setRole } from '../users/setRole.js';
import type { SignedOn } from './flow.js';
import { linkIdentity, newIdentity } from './identities.js';
import { mappedRole } from './roles.js';

export interface Found {
  user: UserDoc;
  identity: ObjectId;
}

/**
 * Returns the account of a person whom a provider has signed in: by issuer and `sub`, and at a first sign-in by the
 * verified address where the configuration allows it, else a new account.
 */
export async function accountOf(gateway: Gateway, actor: Actor, signedOn: SignedOn): Promise<Found> {
  const { provider, subject, claims } = signedOn;
  const { Identity, User } = gateway.models;
  const known = await Identity.findOne({ issuer: provider.issuer, subject }).lean<IdentityDoc>();
  if (known) return { user: await requireAccount(gateway, known.user), identity: known._id };
  const email = verifiedEmail(provider, claims);
  if (!email) throw new AppError('SIGN_ON_UNVERIFIED');
  const existing = await User.findOne({ email }).lean<UserDoc>();
  try {
    return existing
      ? await linkByEmail(gateway, actor, existing, signedOn)
      : await openAccount(gateway, actor, email, signedOn);
  } catch (error) {
    // Two first sign-ins at once: the second one finds what the first one has stored.
    if (isDuplicate(error)) throw new AppError('SIGN_ON_EXPIRED');
    throw error;
  }
}

async function requireAccount(gateway: Gateway, id: ObjectId): Promise<UserDoc> {
  const user = await gateway.models.User.findById(id).lean<UserDoc>();
  if (!user || user.deletedAt) throw new AppError('SIGN_ON_NO_ACCOUNT');
  return user;
}

function verifiedEmail({ emailVerifiedClaim }: SignOnProvider, claims: SignedOn['claims']): string | null {
  // Providers write it as a boolean, as text or as a number.
  if (!['true', '1'].includes(String(claims[emailVerifiedClaim]))) return null;
  return Email.safeParse(claims.email).data ?? null;
}

/**
 * Links the account with this address. Never an administrator's, unless the provider may make administrators: the
 * provider would otherwise decide who is one.
 */
async function linkByEmail(gateway: Gateway, actor: Actor, user: UserDoc, signedOn: SignedOn): Promise<Found> {
  const { provider } = signedOn;
  if (!provider.linkByEmail || (user.role === 'admin' && !provider.allowAdmin)) {
    throw new AppError('SIGN_ON_ADDRESS_TAKEN');
  }
  const refused = accountRefusal(user);
  if (refused) throw new AppError(refused);
  let identity: ObjectId | undefined;
  let ended: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    // The account may have been closed since it was found.
    const same = { _id: user._id, status: user.status, deletedAt: { $exists: false } };
    const account = await gateway.models.User.updateOne(same, touch, { session: tx.session });
    if (account.matchedCount !== 1) throw new AppError('SIGN_ON_EXPIRED');
    identity = (await linkIdentity(gateway, tx, user._id, signedOn))._id;
    if (user.status === 'unverified') ended = await takeOver(gateway, tx, user);
    return user._id;
  });
  cutSockets(gateway, ended, 'signInChanged');
  if (!identity) throw new AppError('SIGN_ON_EXPIRED');
  return { user: await requireAccount(gateway, user._id), identity };
}

/**
 * Confirms an account whose address nobody had proved. Somebody else may have chosen its password, so that password
 * ends, with everything that was begun under it.
 */
async function takeOver(gateway: Gateway, tx: Transaction, user: UserDoc): Promise<ObjectId[]> {
  await gateway.models.User.updateOne(
    { _id: user._id },
    { $set: { status: 'active', passwordHash: '' } },
    { session: tx.session },
  );
  const ended = await endAccess(gateway, user._id, 'signInChanged', tx.session);
  await acceptInvites(gateway, tx, user);
  return ended;
}

async function openAccount(gateway: Gateway, actor: Actor, email: string, signedOn: SignedOn): Promise<Found> {
  const { provider, claims } = signedOn;
  const role = provider.signUp ? mappedRole(provider, claims) : null;
  if (!role) throw new AppError('SIGN_ON_NO_ACCOUNT');
  const user = await newAccount(gateway, email, provider, role, namesOf(claims, email));
  const identity = newIdentity(gateway, user._id, signedOn);
  await gateway.events.change(actor, async (tx) => {
    await storeAccount(gateway, tx, user, `signOn:${provider.id}`);
    await gateway.models.Identity.create([identity], { session: tx.session });
    return user._id;
  });
  return { user: await requireAccount(gateway, user._id), identity: identity._id };
}

/** Stores an account that a provider of single sign-on made, as part of a transaction. Administrators learn of those that wait. */
export async function storeAccount(gateway: Gateway, tx: Transaction, user: Person, reason: string): Promise<void> {
  await gateway.models.User.create([sealPerson(gateway.keys, user)], { session: tx.session });
  const waits = user.status === 'pending';
  if (!waits) await acceptInvites(gateway, tx, user);
  tx.record({
    type: 'auth.register',
    record: user._id,
    actor: user._id,
    reason,
    recipients: waits ? await activeAdmins(gateway) : [],
    refs: waits ? { received: user._id } : {},
  });
}

interface Names {
  firstname: string;
  lastname: string;
  username: string;
}

/** Returns a new account without a password. One that has to be approved waits as a provider, also if it becomes an administrator's. */
export async function newAccount(
  gateway: Gateway,
  email: string,
  provider: SignOnProvider,
  role: Role,
  names: Names,
): Promise<Person> {
  const waits = provider.approve && role !== 'patient';
  const _id = newId(gateway.clock.now());
  const wanted = names.username;
  const isTaken = async (name: string) =>
    (await gateway.models.User.exists({ usernameKey: plain(name) })) !== null || (await isHeld(gateway, name));
  const username = (await isTaken(wanted)) ? `${wanted.slice(0, 50)}.${String(_id).slice(-6)}` : wanted;
  return {
    _id,
    email,
    ...names,
    username,
    usernameKey: plain(username),
    // No password opens it.
    passwordHash: '',
    role: waits ? 'healthProvider' : role,
    status: waits ? 'pending' : 'active',
    active: true,
    ...searchFields({ ...names, username, email }),
    createAt: gateway.clock.now(),
  };
}

const textOf = (value: unknown): string => line(80).safeParse(value).data ?? '';

/** Returns the names of a new account, from what the provider says about the person. */
export function namesOf(claims: Readonly<Record<string, unknown>>, email: string): Names {
  const [local = 'user'] = email.split('@');
  const [first = '', ...rest] = textOf(claims.name).split(' ');
  const username = [claims.preferred_username, local, `user.${local}`].flatMap(
    (name) => Username.safeParse(typeof name === 'string' && !name.includes('@') ? name : '').data ?? [],
  )[0];
  return {
    firstname: textOf(claims.given_name) || first || local.slice(0, 80),
    lastname: textOf(claims.family_name) || rest.join(' ') || '–',
    username: username ?? `user.${String(newId()).slice(-6)}`,
  };
}

/**
 * Gives an account the role that its provider names now; all access under the former role ends. An administrator who was
 * not made one by this provider stays one. Throws `SIGN_ON_NO_ACCOUNT` when the provider names no role any more.
 */
export async function followRole(
  gateway: Gateway,
  actor: Actor,
  user: UserDoc,
  { provider, claims }: SignedOn,
): Promise<UserDoc> {
  if (!provider.roleClaim || (user.role === 'admin' && !provider.allowAdmin)) return user;
  const role = mappedRole(provider, claims);
  if (!role) throw new AppError('SIGN_ON_NO_ACCOUNT');
  if (role === user.role) return user;
  let ended: ObjectId[] = [];
  await gateway.events.change({ ...actor, id: user._id }, async (tx) => {
    ended = await setRole(gateway, tx, user, role);
    return user._id;
  });
  cutSockets(gateway, ended, 'roleChanged');
  return requireAccount(gateway, user._id);
}
