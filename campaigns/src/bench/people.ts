import { newId } from '@lightbox/core/db/ids.js';
import { hashPassword } from '@lightbox/core/keys/password.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { searchFields } from '@lightbox/core/users/search.js';
import { data, postJson } from './client.js';
import type { Site } from './site.js';

/** A signed-in person. */
export interface Person {
  id: string;
  token: string;
}

type Role = 'healthProvider' | 'patient';

export const PASSWORD = 'Granite-Willow-77';
/** How long a mail may take, on a machine with other work. */
const PATIENCE_MS = 180_000;

/** Stores accounts in the database and signs them in through the product: password, mailed code, token. */
export async function signInPeople(site: Site, role: Role, count: number): Promise<Person[]> {
  const users = await newUsers(role, count, PASSWORD);
  await site.models.User.insertMany(users);
  return Promise.all(users.map(({ email }) => signIn(site, email)));
}

/** Stores accounts with a session each. A thousand sign-ins would take minutes. */
export async function storePeople(
  { models, tokens }: Pick<Site, 'models' | 'tokens'>,
  role: Role,
  count: number,
  called: string,
): Promise<Person[]> {
  const users = await newUsers(role, count, PASSWORD, called);
  const now = new Date();
  const sessions = users.map(
    ({ _id }): SessionDoc => ({
      _id: newId(),
      user: _id,
      createAt: now,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + 3_600_000),
      generation: 0,
      rotatedAt: now,
      ip: '',
    }),
  );
  await models.User.insertMany(users, { lean: true });
  await models.Session.insertMany(sessions, { lean: true });
  return sessions.map(({ _id, user }) => ({ id: String(user), token: tokens.access(String(user), String(_id)) }));
}

/** Returns active accounts that are not stored yet. Each username is `called` and a number. */
export async function newUsers(
  role: Role,
  count: number,
  password: string,
  called = role.toLowerCase(),
): Promise<UserDoc[]> {
  const passwordHash = await hashPassword(password);
  return Array.from({ length: count }, (_, i) => newUser(role, `${called}${i}`, passwordHash));
}

function newUser(role: Role, username: string, passwordHash: string): UserDoc {
  const name = { username, firstname: 'Bench', lastname: username, email: `${username}@bench.example` };
  const state = { role, status: 'active', active: true } as const;
  return {
    _id: newId(),
    ...name,
    usernameKey: username,
    passwordHash,
    ...state,
    ...searchFields(name),
    createAt: new Date(),
  };
}

async function signIn({ gateways, mailbox }: Site, email: string): Promise<Person> {
  const auth = `${gateways[0].api}/auth`;
  const { token } = await data<{ token: string }>(postJson(`${auth}/login`, { email, password: PASSWORD }));
  const [mail] = await mailbox.waitFor(email, 'Your verification code', 1, PATIENCE_MS);
  const code = /^Code: (\d{6})$/m.exec(mail?.text ?? '')?.[1];
  const confirmed = await data<{ token: string; user: { id: string } }>(postJson(`${auth}/confirm`, { code }, token));
  return { id: confirmed.user.id, token: confirmed.token };
}
