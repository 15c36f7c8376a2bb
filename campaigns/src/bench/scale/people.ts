import type { Role } from '@lightbox/contract/permissions.js';
import { newId } from '@lightbox/core/db/ids.js';
import { hashPassword } from '@lightbox/core/keys/password.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { searchFields } from '@lightbox/core/users/search.js';
import { pick, words } from './chance.js';
import { insert } from './insert.js';
import type { People, Place, Size, Viewer } from './world.js';

/** People whose first name begins with this are equally many in every size. */
export const RARE_NAME = 'Quillon';
const RARE_NAMES = 5;

/** Stores the accounts, and a session for each person who makes the calls. */
export async function fillPeople(place: Place, size: Size): Promise<People> {
  const passwordHash = await hashPassword('Granite-Willow-77');
  const build = (role: Role, i: number) => newAccount(role, i, passwordHash);
  const [admin] = [build('admin', 0)];
  const providers = Array.from({ length: size.providers }, (_, i) => build('healthProvider', i));
  const patients = Array.from({ length: size.patients }, (_, i) => build('patient', i));
  await insert(place.models.User, [admin, ...providers, ...patients]);
  const signIn = (user: UserDoc | undefined) => startSession(place, user as UserDoc);
  return {
    providers: providers.map(({ _id }) => _id),
    patients: patients.map(({ _id }) => _id),
    names: new Map(patients.map((one) => [String(one._id), one])),
    owner: await signIn(providers[0]),
    recipient: await signIn(providers[1]),
    patient: await signIn(patients[0]),
    admin: await signIn(admin),
  };
}

function newAccount(role: Role, i: number, passwordHash: string): UserDoc {
  const username = `${role.toLowerCase()}${i}`;
  const firstname = i > 0 && i <= RARE_NAMES && role === 'patient' ? RARE_NAME : pick(words, i * 7);
  const names = {
    username,
    firstname,
    lastname: `${pick(words, i * 13 + 5)}${i % 97}`,
    email: `${username}@bench.example`,
  };
  return {
    _id: newId(),
    ...names,
    usernameKey: username,
    passwordHash,
    role,
    status: i % 50 === 49 ? 'pending' : 'active',
    active: true,
    ...searchFields(names),
    createAt: new Date(Date.now() - i * 60_000),
  };
}

async function startSession({ models }: Place, { _id: user }: UserDoc): Promise<Viewer> {
  const now = new Date();
  const session: SessionDoc = {
    ...{ _id: newId(), user, createAt: now, lastSeenAt: now, rotatedAt: now, generation: 0, ip: '' },
    expiresAt: new Date(now.getTime() + 6 * 3_600_000),
  };
  await insert(models.Session, [session]);
  return { id: String(user), session: String(session._id) };
}
