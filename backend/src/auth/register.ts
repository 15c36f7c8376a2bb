import type { authCalls } from '@lightbox/contract/auth/calls.js';
import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import { plain } from '@lightbox/contract/plain.js';
import { texts } from '@lightbox/contract/texts.js';
import { isDuplicate, newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Actor, Transaction } from '@lightbox/core/events/events.js';
import { hashPassword, isPassword } from '@lightbox/core/keys/password.js';
import type { Person, UserDoc } from '@lightbox/core/models/user.js';
import { openAddress } from '@lightbox/core/sharing/invites.js';
import { sealPerson } from '@lightbox/core/users/profile.js';
import { searchFields } from '@lightbox/core/users/search.js';
import type { Answer, Context, Gateway } from '../context.js';
import { bindKey } from '../http/handle.js';
import { acceptInvites, inviteByLink } from '../sharing/acceptInvites.js';
import { activeAdmins } from '../users/admins.js';
import { presentOneself } from '../users/present.js';
import { issueCode } from './codes.js';
import { weakness } from './commonPasswords.js';
import { constantTime } from './constantTime.js';
import { decoyIds, findDecoy, keepDecoy, statusOf } from './decoys.js';
import { holdUsername, isHeld, takenUsername, usernameTaken } from './usernames.js';

type Call = typeof authCalls.register;
type Registration = BodyOf<Call>;

/** Slightly more than the hashes and the first records of an account take. */
const REGISTER_MS = 250;

/**
 * Opens an account. If the address already has one, only its owner learns that, by mail: the answer is the same, and so
 * is every later sign-in with this password (`decoys.ts`).
 */
export async function register({ gateway, actor, body }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  await refuseWeakPassword(gateway, body);
  const local = await gateway.settings.get('signIn.local');
  if (local === 'none' || (local === 'patients' && body.role !== 'patient')) throw new AppError('LOCAL_SIGN_IN_OFF');
  return constantTime(REGISTER_MS, async () => {
    const ids = await decoyIds(gateway, body.email, body.password);
    const bound = bindKey(gateway, actor, ids);
    const earlier = await gateway.events.earlier(bound);
    if (!earlier && body.invite) await refuseOtherAddress(gateway, body.invite, body.email);
    const id = earlier ?? (await openAccount(gateway, bound, body, ids));
    return answer(gateway, newUser(body, '', id));
  });
}

/**
 * Refuses a weak password, together with a username that is taken: people learn of all faults at once. Nobody has
 * registered with a weak password, so this is no registration that is sent again.
 */
async function refuseWeakPassword(gateway: Gateway, body: Registration): Promise<void> {
  const weak = weakness(body.password, body);
  if (!weak) return;
  const isTaken =
    (await gateway.models.User.exists({ usernameKey: plain(body.username) })) || (await isHeld(gateway, body.username));
  const errors = [{ field: 'password', message: weak }, ...(isTaken ? [takenUsername] : [])];
  throw new AppError('VALIDATION_FAILED', { errors });
}

/** Refuses an invitation that has ended, or is for another address. */
async function refuseOtherAddress(gateway: Gateway, token: string, email: string): Promise<void> {
  const invited = openAddress(gateway.keys, await inviteByLink(gateway, token));
  if (invited !== email) throw fieldError('email', 'This invitation is for another address.');
}

/** Writes the account or the decoy. Returns the id for the answer. */
async function openAccount(gateway: Gateway, actor: Actor, body: Registration, ids: string[]): Promise<ObjectId> {
  await refuseTakenUsername(gateway, body, ids);
  const user = newUser(body, await hashPassword(body.password), newId(gateway.clock.now()));
  const existing = await gateway.models.User.findOne(
    { email: body.email },
    { passwordHash: 1, role: 1, status: 1 },
  ).lean<UserDoc>();
  // Also checked for a free address, because the check takes a measurable time.
  const isOwn = await isPassword(existing?.passwordHash, body.password);
  // An unconfirmed account with this password is an earlier registration of the same person.
  const isEarlier = isOwn && existing !== null && existing.status === statusOf(existing.role);
  try {
    return await gateway.events.change(actor, async (tx) => {
      // The code gets the id of the registration, so that a repeated answer finds this code and no other one.
      const code =
        user.role === 'patient'
          ? await issueCode(gateway, user._id, 'signIn', tx.session, { _id: user._id })
          : undefined;
      if (existing) await writeDecoy(gateway, tx, existing._id, user, isEarlier ? null : ids);
      else await writeAccount(gateway, tx, user, code);
      return user._id;
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // A concurrent registration took the address or the username: start again, with what is stored now.
    return openAccount(gateway, actor, body, ids);
  }
}

async function writeAccount(
  gateway: Gateway,
  tx: Transaction,
  user: Person,
  code: ObjectId | undefined,
): Promise<void> {
  await gateway.models.User.create([sealPerson(gateway.keys, user)], { session: tx.session });
  if (user.status === 'active') await acceptInvites(gateway, tx, user);
  tx.record({
    type: 'auth.register',
    record: user._id,
    actor: user._id,
    recipients: user.role === 'healthProvider' ? await activeAdmins(gateway) : [],
    refs: { code, ...(user.status === 'pending' ? { received: user._id } : {}) },
  });
}

/**
 * Handles a registration with an address that has an account: stores a decoy, holds the username and mails the owner.
 * `ids` is null when the account is an earlier registration with this password: no decoy is stored then, because only
 * the first of several names counts.
 */
async function writeDecoy(
  gateway: Gateway,
  tx: Transaction,
  existing: ObjectId,
  shown: UserDoc,
  ids: string[] | null,
): Promise<void> {
  await holdUsername(gateway, shown, tx.session);
  if (ids) await keepDecoy(gateway, ids[0] ?? '', shown, tx.session);
  const mailed = await tx.once('mail', () => gateway.throttle.tryTake('registrationMail', { email: shown.email }));
  tx.record({ type: 'auth.register', record: existing, refs: mailed ? { existing } : {} });
}

/**
 * Refuses a username that is taken, also to its owner: an exception would reveal which address it belongs to. The same
 * registration may be repeated.
 */
async function refuseTakenUsername(gateway: Gateway, body: Registration, ids: string[]): Promise<void> {
  const usernameKey = plain(body.username);
  const taken = await gateway.models.User.findOne({ usernameKey }).lean<UserDoc>();
  if (taken) {
    if (taken.email !== body.email || !(await isPassword(taken.passwordHash, body.password))) throw usernameTaken();
  } else if (await isHeld(gateway, body.username)) {
    if ((await findDecoy(gateway, ids))?.usernameKey !== usernameKey) throw usernameTaken();
  }
}

function newUser(body: Registration, passwordHash: string, _id: ObjectId): Person {
  const { active: _, password: __, invite, role, primphysician, specialization, ...fields } = body;
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined));
  return {
    ...(given as typeof fields),
    _id,
    usernameKey: plain(body.username),
    passwordHash,
    role,
    // The link of an invitation has proved the address.
    status: invite && role === 'patient' ? 'active' : statusOf(role),
    active: true,
    ...(role === 'patient' && primphysician ? { primphysician } : {}),
    ...(role === 'healthProvider' && specialization ? { specialization } : {}),
    ...searchFields(body),
    // Taken from the id, so that a repeated answer has the same time, also when no account was made.
    createAt: _id.getTimestamp(),
  } as Person;
}

/**
 * Builds the answer from what was sent, so that it is the same with a decoy. Its token leads to the registration's own code
 * and to no later one, so that a repeated answer opens no later sign-in.
 */
async function answer(gateway: Gateway, user: Person): Promise<Answer<DataOf<Call>>> {
  const message = user.role === 'patient' ? texts.registered : texts.providerRegistered;
  const unused = { _id: user._id, usedAt: { $exists: false }, expiresAt: { $gt: gateway.clock.now() } };
  const code = await gateway.models.Code.exists(unused);
  const token = code && gateway.tokens.verification(String(user._id), String(code._id));
  return { data: { user: presentOneself(user), ...(token ? { token } : {}) }, message };
}
