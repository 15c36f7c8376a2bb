import type { authCalls } from '@lightbox/contract/auth/calls.js';
import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import { texts } from '@lightbox/contract/texts.js';
import { isDuplicate, newId, type ObjectId } from '@lightbox/core/db/ids.js';
import type { Actor, Transaction } from '@lightbox/core/events/events.js';
import { hashPassword, isPassword } from '@lightbox/core/keys/password.js';
import type { Person, UserDoc } from '@lightbox/core/models/user.js';
import { sealPerson } from '@lightbox/core/users/profile.js';
import { plain, searchFields } from '@lightbox/core/users/search.js';
import type { Answer, Context, Gateway } from '../context.js';
import { bindKey } from '../http/handle.js';
import { activeAdmins } from '../users/admins.js';
import { presentUnconfirmed } from '../users/present.js';
import { issueCode } from './codes.js';
import { refuseWeak } from './commonPasswords.js';
import { constantTime } from './constantTime.js';
import { decoyIds, findDecoy, keepDecoy, statusOf } from './decoys.js';
import { holdUsername, isHeld, usernameTaken } from './usernames.js';

type Call = typeof authCalls.register;
type Registration = BodyOf<Call>;

/** A little more than the hashes take, and an account's first records. */
const REGISTER_MS = 250;

/**
 * Opens an account. Whether the address already had one is told to its owner by mail, and to nobody else: the answer is
 * the same, and so is every sign-in with this password afterwards (`decoys.ts`).
 */
export async function register({ gateway, actor, body }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  refuseWeak('password', body.password, body);
  return constantTime(REGISTER_MS, async () => {
    const ids = await decoyIds(gateway, body.email, body.password);
    const bound = bindKey(gateway, actor, ids[0] ?? '');
    const id = (await gateway.events.earlier(bound)) ?? (await openAccount(gateway, bound, body, ids));
    return answer(gateway, newUser(body, '', id));
  });
}

/** Gives the id that the registration is answered with. */
async function openAccount(gateway: Gateway, actor: Actor, body: Registration, ids: string[]): Promise<ObjectId> {
  await refuseTakenUsername(gateway, body, ids);
  const user = newUser(body, await hashPassword(body.password));
  const existing = await gateway.models.User.findOne(
    { email: body.email },
    { passwordHash: 1, role: 1, status: 1 },
  ).lean<UserDoc>();
  // Asked of a free address too: it takes a while.
  const isOwn = await isPassword(existing?.passwordHash, body.password);
  // An account that nobody has proven yet is this very registration under another name.
  const isEarlier = isOwn && existing !== null && existing.status === statusOf(existing.role);
  try {
    return await gateway.events.change(actor, async (tx) => {
      // The registration's own code has its id, so that a repeated answer finds it and no other one.
      const code =
        user.role === 'patient'
          ? await issueCode(gateway, user._id, 'signIn', tx.session, { _id: user._id })
          : undefined;
      if (existing) await keepLikeness(gateway, tx, existing._id, user, isEarlier ? null : ids);
      else await keepAccount(gateway, tx, user, code);
      return user._id;
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // Somebody took the address or the username in this very moment: now it is one that has an account, or a name that is taken.
    return openAccount(gateway, actor, body, ids);
  }
}

async function keepAccount(gateway: Gateway, tx: Transaction, user: Person, code: ObjectId | undefined): Promise<void> {
  await gateway.models.User.create([sealPerson(gateway.keys, user)], { session: tx.session });
  tx.record({
    type: 'auth.register',
    record: user._id,
    actor: user._id,
    recipients: user.role === 'healthProvider' ? await activeAdmins(gateway) : [],
    refs: { code },
  });
}

/**
 * Where the address has an account: a decoy, the username as if it were taken, and a mail to the owner. No decoy (null)
 * where the account is an earlier registration with this password: of several names only the first one counts.
 */
async function keepLikeness(
  gateway: Gateway,
  tx: Transaction,
  existing: ObjectId,
  shown: UserDoc,
  ids: string[] | null,
): Promise<void> {
  await holdUsername(gateway, shown, tx.session);
  if (ids) await keepDecoy(gateway, ids[0] ?? '', shown, tx.session);
  const mailed = await gateway.throttle.tryTake('registrationMail', { email: shown.email });
  tx.record({ type: 'auth.register', record: existing, refs: mailed ? { existing } : {} });
}

/**
 * A name that is taken is refused, also to the owner of the name: else it would tell whose address it belongs to. The very
 * same registration may come again.
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

function newUser(body: Registration, passwordHash: string, _id = newId()): Person {
  const { active: _, password: __, role, primphysician, specialization, ...fields } = body;
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined));
  return {
    ...(given as typeof fields),
    _id,
    usernameKey: plain(body.username),
    passwordHash,
    role,
    status: statusOf(role),
    active: true,
    ...(role === 'patient' && primphysician ? { primphysician } : {}),
    ...(role === 'healthProvider' && specialization ? { specialization } : {}),
    ...searchFields(body),
    // The id says when: so does a repeated answer about an account that was never made.
    createAt: _id.getTimestamp(),
  } as Person;
}

/** The token leads to the registration's own code, and to no later one: a repeated answer opens nobody else's sign-in. */
async function answer(gateway: Gateway, user: UserDoc): Promise<Answer<DataOf<Call>>> {
  const message = user.role === 'patient' ? texts.registered : texts.providerRegistered;
  const shown = { ...presentUnconfirmed(user), createAt: user.createAt.toISOString() };
  const unused = { _id: user._id, usedAt: { $exists: false }, expiresAt: { $gt: gateway.clock.now() } };
  const code = await gateway.models.Code.exists(unused);
  const token = code && gateway.tokens.verification(String(user._id), String(code._id));
  return { data: { user: shown, ...(token ? { token } : {}) }, message };
}
