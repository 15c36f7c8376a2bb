import type { authCalls } from '@lightbox/contract/auth/calls.js';
import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import { texts } from '@lightbox/contract/texts.js';
import { isDuplicate, newId, type ObjectId } from '@lightbox/core/db/ids.js';
import type { Actor } from '@lightbox/core/events/events.js';
import { hashPassword } from '@lightbox/core/keys/password.js';
import type { Person, UserDoc } from '@lightbox/core/models/types.js';
import { plain, searchFields } from '@lightbox/core/text.js';
import { sealPerson } from '@lightbox/core/users/profile.js';
import type { Answer, Context, Gateway } from '../context.js';
import { presentUnconfirmed } from '../users/present.js';
import { issueCode } from './codes.js';
import { refuseCommon } from './commonPasswords.js';
import { evenly } from './evenTime.js';
import { holdUsername, refuseHeldUsername, usernameTaken } from './usernames.js';

type Call = typeof authCalls.register;
type Registration = BodyOf<Call>;

/** A little more than a hash takes, and an account's first records. */
const REGISTER_MS = 250;

/**
 * Opens an account. Whether the address already had one is told to its owner by mail, and to nobody else: the answer is
 * the same, with an id and a token that lead nowhere.
 */
export async function register({ gateway, actor, body, req }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  await gateway.throttle.take('registration', req.ip ?? '');
  refuseCommon('password', body.password);
  const earlier = await gateway.events.earlier(actor);
  if (earlier) return answer(gateway, await findOrShow(gateway, earlier, body));
  return evenly(REGISTER_MS, () => openAccount(gateway, actor, body));
}

async function openAccount(gateway: Gateway, actor: Actor, body: Registration): Promise<Answer<DataOf<Call>>> {
  const passwordHash = await hashPassword(body.password);
  await refuseTakenUsername(gateway, body);
  const user = newUser(body, passwordHash);
  try {
    const existing = await gateway.models.User.findOne({ email: body.email }, { _id: 1 }).lean();
    if (existing) {
      return answer(gateway, await findOrShow(gateway, await tellOwner(gateway, actor, existing._id, user), body));
    }
    const id = await gateway.events.change(actor, async (tx) => {
      await gateway.models.User.create([sealPerson(gateway.keys, user)], { session: tx.session });
      const code = user.role === 'patient' ? await issueCode(gateway, user._id, 'signIn', tx.session) : undefined;
      const admins = user.role === 'healthProvider' ? await activeAdmins(gateway) : [];
      tx.record({
        type: 'auth.register',
        table: 'users',
        record: user._id,
        actor: user._id,
        recipients: admins,
        refs: { code },
      });
      return user._id;
    });
    return answer(gateway, await findOrShow(gateway, id, body));
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // Somebody took the address or the username in this very moment: from here on it is the case above.
    await refuseTakenUsername(gateway, body);
    return answer(gateway, user);
  }
}

/** One mail to the owner, and the username as if the account had been made; the id is remembered with the key, so that a repeated request is answered alike here too. */
const tellOwner = (gateway: Gateway, actor: Actor, existing: ObjectId, shown: UserDoc): Promise<ObjectId> =>
  gateway.events.change(actor, async (tx) => {
    await holdUsername(gateway, shown, tx.session);
    tx.record({ type: 'auth.register', table: 'users', record: existing, refs: { existing } });
    return shown._id;
  });

async function refuseTakenUsername(gateway: Gateway, body: Registration): Promise<void> {
  const taken = await gateway.models.User.findOne({ usernameKey: plain(body.username) }, { email: 1 }).lean();
  // The owner of the address trying again with their own username must not learn that the account is there.
  if (taken && taken.email !== body.email) throw usernameTaken();
  if (!taken) await refuseHeldUsername(gateway, body.username, body.email);
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
    status: role === 'patient' ? 'unverified' : 'pending',
    active: true,
    ...(role === 'patient' && primphysician ? { primphysician } : {}),
    ...(role === 'healthProvider' && specialization ? { specialization } : {}),
    ...searchFields(body),
    // The id says when: so does a repeated answer about an account that was never made.
    createAt: _id.getTimestamp(),
  } as Person;
}

async function activeAdmins(gateway: Gateway): Promise<ObjectId[]> {
  const admins = await gateway.models.User.find({ role: 'admin', status: 'active', active: true }, { _id: 1 }).lean();
  return admins.map((admin) => admin._id);
}

async function findOrShow(gateway: Gateway, id: ObjectId, body: Registration): Promise<UserDoc> {
  return (await gateway.models.User.findById(id).lean<UserDoc>()) ?? newUser(body, '', id);
}

async function answer(gateway: Gateway, user: UserDoc): Promise<Answer<DataOf<Call>>> {
  const message = user.role === 'patient' ? texts.registered : texts.providerRegistered;
  const shown = { ...presentUnconfirmed(user), createAt: user.createAt.toISOString() };
  if (user.role !== 'patient') return { data: { user: shown }, message };
  const known = await gateway.models.Code.findOne({ user: user._id, purpose: 'signIn' }, { _id: 1 })
    .sort({ createAt: -1 })
    .lean();
  const codeId = known?._id ?? (await issueCode(gateway, user._id, 'signIn', null));
  return { data: { user: shown, token: gateway.tokens.verification(String(user._id), String(codeId)) }, message };
}
