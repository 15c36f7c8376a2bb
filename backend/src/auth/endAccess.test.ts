import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@lightbox/core/db/ids.js';
import { DAY_MS } from '@lightbox/core/times.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../testing/authenticator.js';
import { buildAdmin, buildProvider, mailedCode, PASSWORD, type Person, signIn } from '../testing/factories.js';
import { notMeToken } from '../testing/notMe.js';
import { useGateway } from '../testing/useGateway.js';
import { beginAccess, endAccess } from './endAccess.js';

const { test, api } = useGateway();
let admin: Person;

beforeAll(async () => {
  admin = await buildAdmin(test.gateway);
  await api.as(admin).post('/auth/step-up', { password: PASSWORD }).expect(200);
});

const other = 'Harbour-Lantern-42';
const shown = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: test.clock.now().getTime() });

/** The person at their own device, at which they prove themself. */
async function owner(person: Person) {
  const own = api.as((await signIn(test.gateway, person._id)).token);
  await own.post('/auth/step-up', { password: PASSWORD }).expect(200);
  return own;
}
type Own = Awaited<ReturnType<typeof owner>>;

async function turnOnApp(own: Own): Promise<string> {
  const { secret } = (await own.post('/auth/totp', {}).expect(200)).body.data;
  await own.post('/auth/totp', { code: shown(secret) }).expect(200);
  return secret;
}

async function addPasskey(own: Own): Promise<string> {
  const question = (await own.post('/auth/passkeys/options', {}).expect(200)).body.data;
  const key = new Authenticator(test.config.publicUrl);
  const { body } = await own.post('/auth/passkeys', { ...key.create(question), name: 'Desk' }).expect(201);
  return body.data.passkey.id;
}

const login = async (person: Person) =>
  (await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200)).body.data.token as string;

/** The things that an attacker has begun by then, and how each must be answered afterwards. */
const begun: Record<string, (person: Person) => Promise<() => Promise<unknown>>> = {
  'a session': async (person) => {
    const { token } = await signIn(test.gateway, person._id);
    return () => api.as(token).get('/users/profile').expect(401);
  },
  'a call whose last byte is held back': async (person) => {
    const { token } = await signIn(test.gateway, person._id);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': 2 };
    const call = request(`${test.url}/api/upload/search`, { method: 'POST', headers });
    call.write('{');
    const since = performance.now();
    return async () => {
      // A body that is quicker is taken for one of the moment before. A busy gateway gets its beginning later.
      await sleep(Math.max(0, whenBusy(600) - (performance.now() - since)));
      call.end('}');
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      expect(answer.resume().statusCode).toBe(401);
    };
  },
  'a personal token': async (person) => {
    const { token } = await signIn(test.gateway, person._id);
    const wish = { name: 'Archive', scopes: ['read'], days: 30 };
    const made = (await api.as(token).post('/auth/tokens', wish).expect(201)).body.data;
    await api.as(made.token).get('/users/profile').expect(200);
    return () => api.as(made.token).get('/users/profile').expect(401);
  },
  'a sign-in that waits for its code': async (person) => {
    const token = await login(person);
    const { code } = await mailedCode(test.gateway, person._id);
    return () => api.as(token).post('/auth/confirm', { code }).expect(410);
  },
  'a reset code': async (person) => {
    await api.post('/auth/forgot-password', { email: person.email }).expect(200);
    const { code } = await mailedCode(test.gateway, person._id, 'reset');
    const body = { email: person.email, otp: code, newPassword: 'Another-Enough-Pass-7' };
    return () =>
      api
        .post('/auth/reset-password', body)
        .then(({ status }) => expect([410, 422, 423], String(status)).toContain(status));
  },
  'the set-up of an app': async (person) => {
    const { token } = await signIn(test.gateway, person._id);
    const { secret } = (await api.as(token).post('/auth/totp', { password: PASSWORD }).expect(200)).body.data;
    return async () => {
      await api
        .as(token)
        .post('/auth/totp', { code: shown(secret) })
        .expect(401);
      const left = await test.gateway.models.Totp.findById(person._id).lean();
      expect(left?.confirmedAt ? undefined : left?.secret).toBeUndefined();
    };
  },
  'the making of a passkey': async (person) => {
    const { token } = await signIn(test.gateway, person._id);
    const asked = await api.as(token).post('/auth/passkeys/options', { password: PASSWORD }).expect(200);
    const made = { ...new Authenticator(test.config.publicUrl).create(asked.body.data), name: 'Theirs' };
    return () => api.as(token).post('/auth/passkeys', made).expect(401);
  },
  // Of a session that went quiet: nobody signed out of it.
  'notifications on a device': async (person) => {
    const now = test.clock.now();
    // Not so soon that MongoDB itself removes it.
    const expiresAt = new Date(now.getTime() + DAY_MS);
    const keys = { endpoint: `https://push.example.org/${newId()}`, p256dh: 'x', auth: 'x' };
    const row = { _id: newId(), user: person._id, session: newId(), ...keys, seenAt: now, expiresAt };
    await test.gateway.models.PushSubscription.create([row]);
    return async () => expect(await test.gateway.models.PushSubscription.exists({ _id: row._id })).toBeNull();
  },
};

/** The endings: each is prepared, and then done. */
const endings: Record<string, (person: Person) => Promise<() => Promise<unknown>>> = {
  'a password reset': async (person) => async () => {
    await api.post('/auth/forgot-password', { email: person.email }).expect(200);
    const { code } = await mailedCode(test.gateway, person._id, 'reset');
    await api.post('/auth/reset-password', { email: person.email, otp: code, newPassword: other }).expect(200);
  },
  'a changed password': async (person) => {
    const own = await owner(person);
    return () => own.put('/auth/password', { currentPassword: PASSWORD, newPassword: other }).expect(200);
  },
  'an app turned on': async (person) => {
    const own = await owner(person);
    return () => turnOnApp(own);
  },
  'a passkey added': async (person) => {
    const own = await owner(person);
    return () => addPasskey(own);
  },
  'a changed role': async (person) => async () => {
    await api.as(admin).put(`/users/role/${person.id}`, { role: 'patient' }).expect(200);
  },
  'a deactivation, also when it is taken back': async (person) => async () => {
    for (let i = 0; i < 2; i++) await api.as(admin).put(`/users/toggleUserStatus/${person.id}`).expect(200);
  },
  'an account closed by an administrator': async (person) => async () => {
    await api.as(admin).del(`/users/${person.id}`).expect(200);
  },
  'signing out everywhere else': async (person) => {
    const own = await owner(person);
    return () => own.del('/auth/sessions').expect(200);
  },
  '“this was not me”': async (person) => {
    const own = await owner(person);
    await own.put('/auth/password', { currentPassword: PASSWORD, newPassword: other }).expect(200);
    await own.put('/auth/password', { currentPassword: other, newPassword: PASSWORD }).expect(200);
    const token = await notMeToken(test.gateway, person._id);
    return () => api.post('/auth/not-me', { token }).expect(200);
  },
};

/** Those that need an authenticator first; then no code is mailed. */
const withSecondFactor: typeof endings = {
  'an app removed': async (person) => {
    const own = await owner(person);
    await turnOnApp(own);
    return () => own.del('/auth/totp', {}).expect(200);
  },
  'a passkey removed': async (person) => {
    const own = await owner(person);
    const id = await addPasskey(own);
    return () => own.del(`/auth/passkeys/${id}`, {}).expect(200);
  },
  'authenticators removed by an administrator': async (person) => {
    await turnOnApp(await owner(person));
    return () => api.as(admin).del(`/users/totp/${person.id}`).expect(200);
  },
};

describe.each(Object.keys({ ...endings, ...withSecondFactor }))('%s', (ending) => {
  it('ends what was begun', async () => {
    const person = await buildProvider(test.gateway);
    const secondFactor = Object.hasOwn(withSecondFactor, ending);
    const end = await { ...endings, ...withSecondFactor }[ending]?.(person);
    const over: Record<string, () => Promise<unknown>> = {};
    for (const [what, begin] of Object.entries(begun)) {
      // Their place is taken by what is there, or is asked for another way.
      if (secondFactor && ['a sign-in that waits for its code', 'the set-up of an app'].includes(what)) continue;
      over[what] = await begin(person);
    }
    if (secondFactor) {
      const token = await login(person);
      over['a sign-in that waits for an authenticator'] = () =>
        api.as(token).post('/auth/confirm', { recoveryCode: 'ABCDE-FGHJK' }).expect(410);
    }
    await end?.();
    for (const [what, isOver] of Object.entries(over)) {
      await isOver().catch((error) => {
        throw new Error(`${what}: ${error.message}`);
      });
    }
  });
});

it('a sign-in whose password was checked before the access ended is refused after it', async () => {
  const { _id } = await buildProvider(test.gateway);
  const { models, db } = test.gateway;
  const read = await models.User.findById(_id).lean();
  if (!read) throw new Error('Nobody is there.');
  expect(await db.transaction((tx) => beginAccess(test.gateway, read, tx))).toBe(true);
  await db.transaction((tx) => endAccess(test.gateway, _id, 'deactivated', tx));
  expect(await db.transaction((tx) => beginAccess(test.gateway, read, tx))).toBe(false);
});

it('the session that ends the others goes on, and a newer sign-in works', async () => {
  const person = await buildProvider(test.gateway);
  const own = await owner(person);
  await own.del('/auth/sessions').expect(200);
  await own.get('/users/profile').expect(200);
  const token = await login(person);
  const { code } = await mailedCode(test.gateway, person._id);
  await api.as(token).post('/auth/confirm', { code }).expect(200);
});
