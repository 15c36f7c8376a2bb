import { randomUUID } from 'node:crypto';
import { get as httpGet } from 'node:http';
import { sessionFields } from '@lightbox/contract/auth/session.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { linkTokenOf } from '@lightbox/core/keys/codes.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import jwt from 'jsonwebtoken';
import request, { type Response } from 'supertest';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../gateway.js';
import { connectSocket } from '../testing/client.js';
import {
  buildAdmin,
  buildPatient,
  buildProvider,
  mailedCode,
  PASSWORD,
  type Person,
  signIn,
  wrong,
} from '../testing/factories.js';
import { firstAdmin } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

let count = 0;
const registration = (changes: Record<string, unknown> = {}) => {
  count++;
  return {
    email: `New.Person${count}@Hospital.test`,
    username: `new.person${count}`,
    password: PASSWORD,
    role: 'patient',
    firstname: 'Zoë',
    lastname: 'Khan',
    gender: 'Female',
    dob: '1990-02-28',
    active: true,
    ...changes,
  };
};

async function verificationFor(person: Person): Promise<string> {
  const { body } = await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200);
  return body.data.token;
}

const events = (record: string, type: EventDoc['type']) =>
  test.gateway.models.Event.find({ record: oid(record), type }).lean<EventDoc[]>();

describe('registration', () => {
  it('gives a patient a verification token and mails a code', async () => {
    const given = registration();
    const { body } = await api.post('/auth/register', given).expect(201);
    expect(body.message).toBe(texts.registered);
    const { user, token } = body.data;
    // The account in the answer is what was sent.
    expect(user).toMatchObject({ firstname: given.firstname, gender: given.gender.toLowerCase() });
    expect(user).toMatchObject({ email: given.email.toLowerCase(), status: 'unverified', role: { name: 'patient' } });
    expect(JSON.stringify(body)).not.toMatch(/passwordHash|Granite/);
    const [event] = await events(user.id, 'auth.register');
    expect(event?.refs.code).toBeDefined();
    await api.as(token).get('/users/profile').expect(401);
    const { code } = await mailedCode(test.gateway, user.id);
    const confirmed = await api.as(token).post('/auth/confirm', { code }).expect(200);
    const profile = await api.as(confirmed.body.data.token).get('/users/profile').expect(200);
    expect(profile.body.data).toMatchObject({ status: 'active', gender: 'female', dob: '1990-02-28' });
  });

  it('a new provider is pending and gets no token', async () => {
    const given = registration({ role: 'healthProvider' });
    const { body } = await api.post('/auth/register', given).expect(201);
    expect(body.data.user.status).toBe('pending');
    expect(body.data).not.toHaveProperty('token');
    const login = await api.post('/auth/login', { email: given.email, password: PASSWORD }).expect(403);
    expect(login.body.error).toBe('ACCOUNT_PENDING');
  });

  it('reports all wrong fields at once', async () => {
    const { body } = await api
      .post('/auth/register', registration({ role: 'admin', dob: '2999-01-01', email: 'x', isVerified: true }))
      .expect(422);
    const fields = body.errors.map((error: { field: string }) => error.field);
    expect(fields.sort()).toEqual(['dob', 'email', 'isVerified', 'role']);
  });

  it.each(['Password1', 'Qwerty123', 'P@ssw0rd'])('refuses the common password %s', async (password) => {
    const { body } = await api.post('/auth/register', registration({ password })).expect(422);
    expect(body.errors).toEqual([{ field: 'password', message: texts.passwordCommon }]);
  });

  it('long passwords are compared as a whole', async () => {
    const password = `Aa1 ${'é'.repeat(38)}`;
    const given = registration({ password: `${password}x` });
    await api.post('/auth/register', given).expect(201);
    await api.post('/auth/login', { email: given.email, password: `${password}y` }).expect(401);
    await api.post('/auth/login', { email: given.email, password: `${password}x` }).expect(200);
    await api.post('/auth/register', registration({ password: `Aa1${'x'.repeat(126)}` })).expect(422);
  });

  it('a username can be taken once, in upper or lower case', async () => {
    const first = registration();
    await api.post('/auth/register', first).expect(201);
    const { body } = await api
      .post('/auth/register', registration({ username: first.username.toUpperCase() }))
      .expect(422);
    expect(body.errors).toEqual([{ field: 'username', message: 'This username is taken.' }]);
    const both = await api.post('/auth/register', { ...first, password: 'Password1' }).expect(422);
    expect(both.body.errors).toEqual([
      { field: 'password', message: texts.passwordCommon },
      { field: 'username', message: 'This username is taken.' },
    ]);
  });

  it('answers for an address that has an account as for a new one, and the token never confirms', async () => {
    const person = await buildPatient(test.gateway);
    const given = registration({ email: person.email.toUpperCase() });
    const taken = await api.post('/auth/register', given).expect(201);
    const fresh = await api.post('/auth/register', registration()).expect(201);
    expect(Object.keys(taken.body.data.user).sort()).toEqual(Object.keys(fresh.body.data.user).sort());
    expect(taken.body.data.user.id).not.toBe(person.id);
    expect(taken.body.message).toBe(fresh.body.message);
    const [event] = await events(person.id, 'auth.register');
    expect(event?.refs.existing).toBeDefined();
    const { code } = await mailedCode(test.gateway, taken.body.data.user.id);
    await api.as(taken.body.data.token).post('/auth/confirm', { code }).expect(422);
    await api.as(taken.body.data.token).post('/auth/resend-code', {}).expect(200);
    const user = await test.gateway.models.User.findById(person._id).lean<UserDoc>();
    expect(user?.username).toBe(person.username);
  });

  it('the username does not reveal afterwards that the address has an account', async () => {
    const person = await buildPatient(test.gateway);
    const name = (email: string) => `probe.${email.split('@')[0]}`.toLowerCase();
    for (const email of [person.email, `fresh.${person.email}`]) {
      const username = name(email);
      const given = registration({ email, username });
      await api.post('/auth/register', given).expect(201);
      const probe = await api.post('/auth/register', registration({ username: username.toUpperCase() })).expect(422);
      expect(probe.body.errors).toEqual([{ field: 'username', message: 'This username is taken.' }]);
      // A name that is only held looks taken beside a refused password as well.
      const refused = await api.post('/auth/register', { ...given, password: 'Password1' }).expect(422);
      expect(refused.body.errors.map(({ field }: { field: string }) => field)).toEqual(['password', 'username']);
      const other = await buildPatient(test.gateway);
      const rename = await api.as(other).put('/users/profile', { username }).expect(422);
      expect(rename.body.errors).toEqual(probe.body.errors);
      // The same client may send it again.
      await api.post('/auth/register', given).expect(201);
    }
  });

  it.each(['new', 'taken'])('repeats itself for the same key when the address is %s', async (kind) => {
    const person = await buildPatient(test.gateway);
    const given = registration(kind === 'taken' ? { email: person.email } : {});
    const key = randomUUID();
    const send = () => api.post('/auth/register', given).set('Idempotency-Key', key).expect(201);
    const [first, second] = [await send(), await send()];
    expect(second.body.data.user).toEqual(first.body.data.user);
    expect(await test.gateway.models.User.countDocuments({ email: given.email.toLowerCase() })).toBe(1);
    if (kind === 'taken') expect(await events(person.id, 'auth.register')).toHaveLength(1);
  });

  it('makes one account of many at once', async () => {
    const given = registration();
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.post('/auth/register', given)));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 201));
    expect(await test.gateway.models.User.countDocuments({ email: given.email.toLowerCase() })).toBe(1);
  });
});

describe('sign-in', () => {
  it('a wrong password and an unknown address get the same answer', async () => {
    const person = await buildPatient(test.gateway);
    for (const email of [person.email, 'nobody@hospital.test']) {
      const { body } = await api.post('/auth/login', { email, password: 'Wrong-Pass-1' }).expect(401);
      expect(body).toEqual({
        message: 'Invalid email or password',
        error: 'INVALID_CREDENTIALS',
        requestId: expect.any(String),
      });
    }
  });

  it.each([
    [{ status: 'pending' }, 'ACCOUNT_PENDING'],
    [{ status: 'rejected' }, 'ACCOUNT_REJECTED'],
    [{ active: false }, 'ACCOUNT_INACTIVE'],
  ] as const)('tells %j only after the right password, and records it', async (changes, code) => {
    const person = await buildProvider(test.gateway, changes);
    await api.post('/auth/login', { email: person.email, password: 'Wrong-Pass-1' }).expect(401);
    const { body } = await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(403);
    expect(body.error).toBe(code);
    const reasons = (await events(person.id, 'auth.login')).map((event) => event.reason);
    expect(reasons).toEqual(['INVALID_CREDENTIALS', code]);
  });

  it('the first administrator of the configuration can sign in', async () => {
    const { body } = await api.post('/auth/login', firstAdmin).expect(200);
    expect(body.data.user.role).toEqual({ name: 'admin' });
  });

  it('a first administrator with a common password is refused at the start', async () => {
    const admin = { ...firstAdmin, password: 'Lightbox-Admin-1' };
    const { ready, stop } = await startGateway(await testConfig({ admin }));
    await expect(ready).rejects.toThrow(/ADMIN_PASSWORD/);
    await stop();
  });

  it('ends with an access token and the two cookies', async () => {
    const person = await buildPatient(test.gateway);
    const token = await verificationFor(person);
    const { code } = await mailedCode(test.gateway, person._id);
    const answer = await api.as(token).post('/auth/confirm', { code }).expect(200);
    expect(Object.keys(answer.body.data.user).sort()).toEqual([...sessionFields].sort());
    expect(answer.body.data.user).toMatchObject({ id: person.id, role: { name: 'patient' } });
    const [refresh, xsrf] = answer.get('Set-Cookie') ?? [];
    expect(refresh).toMatch(/HttpOnly/);
    expect(refresh).toMatch(/SameSite=Strict/);
    expect(refresh).toMatch(/Path=\/api\/auth/);
    expect(xsrf).toMatch(/^XSRF-TOKEN=/);
    expect(xsrf).not.toMatch(/HttpOnly/);
    const again = await api.as(token).post('/auth/confirm', { code }).expect(410);
    expect(again.body.error).toBe('EXPIRED');
  });

  it('answers five wrong codes with 422 and then locks, also for the right one', async () => {
    const person = await buildPatient(test.gateway);
    const token = await verificationFor(person);
    const { code } = await mailedCode(test.gateway, person._id);
    for (let left = limits.codeTries - 1; left >= 0; left--) {
      const { body } = await api
        .as(token)
        .post('/auth/confirm', { code: wrong(code) })
        .expect(422);
      expect(body).toMatchObject({ error: 'WRONG_CODE', triesLeft: left });
    }
    const { body } = await api.as(token).post('/auth/confirm', { code }).expect(423);
    expect(body.error).toBe('CODE_LOCKED');
    await api.as(token).post('/auth/resend-code', {}).expect(200, { data: null, message: texts.codeSent });
    await api.as(token).post('/auth/confirm', { code }).expect(422);
    const renewed = await mailedCode(test.gateway, person._id);
    await api.as(token).post('/auth/confirm', { code: renewed.code }).expect(200);
    expect((await api.as(token).post('/auth/resend-code', {}).expect(410)).body.error).toBe('EXPIRED');
  });

  it('a locked sign-in that a reset of the password ended has expired, and gets no new code', async () => {
    const person = await buildPatient(test.gateway);
    const token = await verificationFor(person);
    const { code } = await mailedCode(test.gateway, person._id);
    const confirm = (guess: string) => api.as(token).post('/auth/confirm', { code: guess });
    for (let i = 0; i < limits.codeTries; i++) await confirm(wrong(code)).expect(422);
    await confirm(code).expect(423);
    await api.post('/auth/forgot-password', { email: person.email }).expect(200);
    const reset = await mailedCode(test.gateway, person._id, 'reset');
    const body = { email: person.email, otp: reset.code, newPassword: 'Meadow-Copper-19' };
    await api.post('/auth/reset-password', body).expect(200);
    await confirm(code).expect(410);
    expect((await api.as(token).post('/auth/resend-code', {}).expect(410)).body.error).toBe('EXPIRED');
  });

  it('no more than five of many concurrent guesses are compared', async () => {
    const person = await buildPatient(test.gateway);
    const token = await verificationFor(person);
    const { code } = await mailedCode(test.gateway, person._id);
    const guesses = Array.from({ length: 20 }, () => api.as(token).post('/auth/confirm', { code: wrong(code) }));
    const statuses = (await Promise.all(guesses)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 422)).toHaveLength(5);
    expect(statuses.filter((status) => status === 423)).toHaveLength(15);
  });

  it('a code of another person is refused', async () => {
    const [one, other] = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    await verificationFor(one);
    const token = await verificationFor(other);
    const { _id, code } = await mailedCode(test.gateway, one._id);
    await api
      .as(test.gateway.tokens.verification(other.id, String(_id)))
      .post('/auth/confirm', { code })
      .expect(422);
    await api
      .as(token)
      .post('/auth/confirm', { code: wrong((await mailedCode(test.gateway, other._id)).code) })
      .expect(422);
  });

  it.each(['12345', '1234567', '٠١٢٣٤٥', ' 123456', 123456, null])('calls the code %j invalid', async (code) => {
    const token = test.gateway.tokens.verification(String(newId()), String(newId()));
    const { body } = await api.as(token).post('/auth/confirm', { code }).expect(422);
    expect(body.error).toBe('VALIDATION_FAILED');
    expect(body.errors[0].field).toBe('code');
  });

  it('opens one session for a code that is sent twice at once', async () => {
    const person = await buildPatient(test.gateway);
    const token = await verificationFor(person);
    const { code } = await mailedCode(test.gateway, person._id);
    const before = await test.gateway.models.Session.countDocuments({ user: person._id });
    await Promise.all([1, 2, 3].map(() => api.as(token).post('/auth/confirm', { code })));
    expect(await test.gateway.models.Session.countDocuments({ user: person._id })).toBe(before + 1);
  });

  it('refuses a code, and the token for it, after ten minutes', async () => {
    const person = await buildPatient(test.gateway);
    const token = await verificationFor(person);
    const { _id, code } = await mailedCode(test.gateway, person._id);
    test.clock.forward({ minutes: limits.codeMinutes, seconds: 1 });
    const { body } = await api.as(token).post('/auth/confirm', { code }).expect(401);
    expect(body.message).toBe('jwt expired');
    const fresh = test.gateway.tokens.verification(person.id, String(_id));
    await api.as(fresh).post('/auth/confirm', { code }).expect(410);
  });
});

describe('the access token', () => {
  const forged = (
    person: Person,
    change: (claims: jwt.JwtPayload) => jwt.JwtPayload,
    options: jwt.SignOptions = {},
  ) => {
    const { id, key } = test.gateway.keys.tokens.current;
    const claims = change(jwt.decode(person.token) as jwt.JwtPayload);
    return jwt.sign(claims, key, { algorithm: 'HS256', keyid: id, ...options });
  };
  const part = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

  it('is refused in every forged form, with one message', async () => {
    const person = await buildPatient(test.gateway);
    const [head = '', body = '', mark = ''] = person.token.split('.');
    const kid = test.gateway.keys.tokens.current.id;
    const without = (name: string) =>
      forged(person, (claims) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name)));
    const tokens = [
      'garbage',
      `${person.token}.`,
      `${head}.${body}.`,
      `${head}.${body}.${mark.slice(0, -2)}AA`,
      `${head}.${part({ ...(jwt.decode(person.token) as object), sub: String(newId()) })}.${mark}`,
      ...['none', 'None', 'nOnE'].map((alg) => `${part({ alg, typ: 'JWT', kid })}.${body}.`),
      `${part({ alg: 'HS512', typ: 'JWT', kid })}.${body}.${mark}`,
      `${part({ alg: 'HS256', typ: 'JWT', kid: '../../dev/null' })}.${body}.${mark}`,
      `${part({ alg: 'HS256', typ: 'JWT' })}.${body}.${mark}`,
      `${part({ alg: 'HS256', typ: 'JWT', kid })}.${part('not json')}.${mark}`,
      `${part('not json')}.${body}.${mark}`,
      forged(person, (claims) => claims, { algorithm: 'HS512' }),
      without('exp'),
      without('jti'),
      without('rid'),
      without('aud'),
      without('iss'),
      forged(person, (claims) => ({ ...claims, typ: 'verification' })),
      forged(person, (claims) => ({ ...claims, aud: 'elsewhere' })),
      forged(person, (claims) => ({ ...claims, nbf: Math.floor(Date.now() / 1000) + 3600 })),
      forged(person, (claims) => ({ ...claims, sub: { $ne: null } }) as unknown as jwt.JwtPayload),
      forged(person, (claims) => ({ ...claims, rid: String(newId()) })),
    ];
    for (const token of tokens) {
      const answer = await api.as(token).get('/users/profile');
      expect([answer.status, answer.body.message], token).toEqual([401, 'Authentication failed']);
    }
  });

  it.each([['Bearer'], ['Bearer  x'], ['Basic eDp5'], ['token']])(
    'the header %j contains no valid token',
    async (header) => {
      const { body } = await request(test.url).get('/api/users/profile').set('Authorization', header).expect(401);
      expect(body.message).toBe('Authentication failed');
    },
  );

  it('two Authorization headers are refused, even when each is valid', async () => {
    const { token } = await buildPatient(test.gateway);
    const twice = (values: string[]) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { Authorization: values.map((value) => `Bearer ${value}`) };
        httpGet(`${test.url}/api/users/profile`, { headers }, (res) => resolve(res.resume().statusCode)).on(
          'error',
          reject,
        );
      });
    expect(await twice([token])).toBe(200);
    expect(await twice([token, token])).toBe(401);
    expect(await twice([token, 'x'])).toBe(401);
  });

  it('a missing token is UNAUTHENTICATED, and an expired one JWT_EXPIRED', async () => {
    const person = await buildPatient(test.gateway);
    expect((await api.get('/users/profile').expect(401)).body.message).toBe('Unauthenticated');
    test.clock.forward({ minutes: limits.accessTokenMinutes, seconds: 1 });
    expect((await api.as(person).get('/users/profile').expect(401)).body.message).toBe('jwt expired');
  });

  it('a verification token is accepted by confirm and resend-code alone, not by a socket', async () => {
    const person = await buildPatient(test.gateway);
    const token = await verificationFor(person);
    await api.as(token).get('/users/profile').expect(401);
    await api.as(token).post('/auth/logout', {}).expect(401);
    await expect(connectSocket(test.url, { token })).rejects.toThrow('Unauthenticated');
    await api.as(person).post('/auth/confirm', { code: '123456' }).expect(401);
  });
});

interface Browser {
  refresh: string;
  xsrf: string;
  token: string;
}

const cookiesOf = (answer: Response): Omit<Browser, 'token'> => {
  const cookies = (answer.get('Set-Cookie') ?? []).map((cookie) => cookie.split(';')[0] ?? '');
  const value = (name: string) => cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  return { refresh: value('lightbox_refresh'), xsrf: value('XSRF-TOKEN') };
};

async function signedInBrowser(person: Person): Promise<Browser> {
  const token = await verificationFor(person);
  const { code } = await mailedCode(test.gateway, person._id);
  const answer = await api.as(token).post('/auth/confirm', { code }).expect(200);
  return { ...cookiesOf(answer), token: answer.body.data.token };
}

const refresh = ({ refresh, xsrf }: Omit<Browser, 'token'>, header = xsrf) =>
  api
    .post('/auth/refresh', {})
    .set('Cookie', `lightbox_refresh=${refresh}; XSRF-TOKEN=${xsrf}`)
    .set('X-XSRF-TOKEN', header);

describe('the refresh cookie', () => {
  it('the refresh cookie rotates, and the one before gives the same successor for a short time', async () => {
    const browser = await signedInBrowser(await buildPatient(test.gateway));
    const first = await refresh(browser).expect(200);
    await api.as(first.body.data.token).get('/users/profile').expect(200);
    expect(cookiesOf(first).refresh).not.toBe(browser.refresh);
    const tabs = await Promise.all([refresh(browser), refresh(browser)]);
    for (const tab of tabs) expect(cookiesOf(tab).refresh).toBe(cookiesOf(first).refresh);
    await refresh(cookiesOf(first)).expect(200);
  });

  it('an old refresh cookie that is used again ends the session', async () => {
    const person = await buildPatient(test.gateway);
    const browser = await signedInBrowser(person);
    const first = await refresh(browser).expect(200);
    test.clock.forward({ seconds: limits.refreshGraceSeconds + 1 });
    await refresh(browser).expect(401);
    await refresh(cookiesOf(first)).expect(401);
    await api.as(first.body.data.token).get('/users/profile').expect(401);
    const reused = await test.gateway.models.Event.countDocuments({ actor: person._id, type: 'auth.refreshReused' });
    expect(reused).toBe(1);
  });

  it.each([
    ['no cookie', { refresh: '', xsrf: 'a' }, 'a'],
    ['no header', null, ''],
    ['another header', null, 'another'],
    ['an invented cookie', { refresh: `${'a'.repeat(24)}.0.k.x`, xsrf: 'a' }, 'a'],
    ['a header as long as the cookie in letters and not in bytes', { refresh: 'x', xsrf: '%C4%80' }, 'a'],
  ])('a refresh with %s is refused', async (_, made, header) => {
    const browser = made ?? (await signedInBrowser(await buildPatient(test.gateway)));
    await refresh(browser, header).expect(401);
  });

  it('a refresh without its cookies is refused before its body is looked at', async () => {
    const { refresh: cookie } = await signedInBrowser(await buildPatient(test.gateway));
    for (const sent of ['', `lightbox_refresh=${cookie}`]) {
      const post = () => request(test.url).post('/api/auth/refresh').set('Cookie', sent);
      await post().send({ x: 1 }).expect(401);
      await post().type('form').send('x=1').expect(401);
    }
  });

  it('a session ends after twelve hours, or after thirty idle minutes', async () => {
    const idle = await signedInBrowser(await buildPatient(test.gateway));
    test.clock.forward({ minutes: limits.sessionIdleMinutes, seconds: 1 });
    await refresh(idle).expect(401);

    const { Session } = test.gateway.models;
    const person = await buildPatient(test.gateway);
    let busy: Omit<Browser, 'token'> = await signedInBrowser(person);
    for (let minutes = 0; minutes < limits.sessionHours * 60 - 20; minutes += 20) {
      test.clock.forward({ minutes: 20 });
      const active = { user: person._id, lastSeenAt: { $gte: test.gateway.clock.now() } };
      const answer = await refresh(busy).expect(200);
      busy = cookiesOf(answer);
      await api.as(answer.body.data.token).get('/users/profile').expect(200);
      // No answer waits for the write of the activity.
      await eventually(async () => expect(await Session.exists(active)).not.toBeNull());
    }
    test.clock.forward({ minutes: 20, seconds: 1 });
    await refresh(busy).expect(401);
  });

  it('a socket that is opened and says nothing does not count as activity of a session', async () => {
    const person = await buildPatient(test.gateway);
    test.clock.forward({ minutes: limits.sessionIdleMinutes - 1 });
    const token = test.gateway.tokens.access(person.id, String(person.sessionId));
    const { socket } = await connectSocket(test.url, { token });
    try {
      test.clock.forward({ minutes: 2 });
      const { body } = await api.as(token).get('/users/profile').expect(401);
      expect(body.message).toBe('Authentication failed');
    } finally {
      socket.close();
    }
  });

  it('background calls do not count as activity of a session', async () => {
    const person = await buildPatient(test.gateway);
    test.clock.forward({ minutes: 14 });
    await api.as(person).get('/users/profile').set('X-Background', '1').expect(200);
    test.clock.forward({ minutes: 17 });
    const token = test.gateway.tokens.access(person.id, String(person.sessionId));
    const { body } = await api.as(token).get('/users/profile').expect(401);
    expect(body.message).toBe('Authentication failed');
  });
});

describe('a session ends', () => {
  const endings: [string, (person: Person) => Promise<unknown>][] = [
    ['by logout', (person) => api.as(person).post('/auth/logout', {}).expect(200)],
    [
      'by deactivation',
      async (person) =>
        api
          .as(await buildAdmin(test.gateway))
          .put(`/users/toggleUserStatus/${person.id}`)
          .expect(200),
    ],
    [
      'by deletion',
      async (person) =>
        api
          .as(await buildAdmin(test.gateway))
          .del(`/users/${person.id}`)
          .expect(200),
    ],
    ['by closing the account', (person) => api.as(person).del('/users/profile', { password: PASSWORD }).expect(200)],
    [
      'by a new password',
      async (person) => {
        await api.post('/auth/forgot-password', { email: person.email }).expect(200);
        const { code } = await mailedCode(test.gateway, person._id, 'reset');
        const body = { email: person.email, otp: code, newPassword: 'Meadow-Copper-19' };
        await api.post('/auth/reset-password', body).expect(200);
      },
    ],
  ];
  // A second is the promise. On a busy machine one of three tries is enough.
  it.each(endings)('%s, for calls and sockets at once', { retry: 2 }, async (_, end) => {
    const person = await buildPatient(test.gateway);
    const { socket, until } = await connectSocket(test.url, { token: person.token });
    const gone = new Promise<void>((resolve) => socket.once('disconnect', () => resolve()));
    const started = Date.now();
    await end(person);
    const ended = Date.now();
    await api.as(person).get('/users/profile').expect(401);
    await until('session:revoked');
    await gone;
    expect(Date.now() - ended).toBeLessThan(whenBusy(1_000));
    expect(started).toBeLessThanOrEqual(ended);
    await expect(connectSocket(test.url, { token: person.token })).rejects.toThrow('Unauthenticated');
  });

  it('a sign-out ends its own session, and the person’s other one continues', async () => {
    const person = await buildPatient(test.gateway);
    const other = await signIn(test.gateway, person._id);
    const answer = await api.as(person).post('/auth/logout', {}).expect(200);
    expect(answer.body.message).toBe('Logged out successfully');
    expect(answer.get('Clear-Site-Data')).toBeDefined();
    await api.as(other).get('/users/profile').expect(200);
  });
});

describe('a forgotten password', () => {
  const forgot = (email: string) => api.post('/auth/forgot-password', { email });
  const reset = (body: object) => api.post('/auth/reset-password', body);

  it('a request for a reset code has the same answer with and without an account', async () => {
    const person = await buildPatient(test.gateway);
    for (const email of [person.email, 'nobody.here@hospital.test']) {
      await forgot(email).expect(200, { data: null, message: 'Reset code sent successfully!' });
      for (let i = 0; i < limits.codeTries; i++) {
        const { body } = await reset({ email, otp: '000000', newPassword: 'Meadow-Copper-19' }).expect(422);
        expect(body).toMatchObject({ error: 'WRONG_CODE', triesLeft: limits.codeTries - 1 - i });
      }
      await reset({ email, otp: '000000', newPassword: 'Meadow-Copper-19' }).expect(423);
    }
  });

  it('a code sets a new password once; refused passwords cost no try', async () => {
    const person = await buildPatient(test.gateway);
    await forgot(person.email).expect(200);
    const { code } = await mailedCode(test.gateway, person._id, 'reset');
    const body = { email: person.email, otp: code, newPassword: 'Password1' };
    const refused = await reset(body).expect(422);
    expect(refused.body.errors[0].field).toBe('newPassword');
    expect((await mailedCode(test.gateway, person._id, 'reset')).seed.tries).toBe(0);
    const answer = await reset({ ...body, newPassword: 'Meadow-Copper-19' }).expect(200);
    expect(answer.body.message).toBe('Password reset successfully!');
    await reset({ ...body, newPassword: 'Meadow-Copper-20' }).expect(410);
    await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(401);
    await api.post('/auth/login', { email: person.email, password: 'Meadow-Copper-19' }).expect(200);
    expect(await events(person.id, 'auth.resetPassword')).toHaveLength(1);
  });

  it.each(['body', 'header'])('the token of the link in the %s sets a new password once', async (place) => {
    const person = await buildPatient(test.gateway);
    await forgot(person.email).expect(200);
    const { _id, seed } = await mailedCode(test.gateway, person._id, 'reset');
    const token = linkTokenOf(test.gateway.keys.codes, String(_id), seed) ?? '';
    const password = 'Meadow-Copper-19';
    const send = () =>
      place === 'body' ? reset({ token, password }) : api.as(token).post('/auth/reset-password', { password });
    await reset({ token: token.slice(0, -3), password }).expect(422);
    await send().expect(200);
    await send().expect(410);
  });

  it('only the newest reset code works', async () => {
    const person = await buildPatient(test.gateway);
    await forgot(person.email).expect(200);
    const old = await mailedCode(test.gateway, person._id, 'reset');
    await forgot(person.email).expect(200);
    const link = linkTokenOf(test.gateway.keys.codes, String(old._id), old.seed) ?? '';
    await reset({ email: person.email, otp: old.code, newPassword: 'Meadow-Copper-19' }).expect(422);
    await reset({ token: link, password: 'Meadow-Copper-19' }).expect(410);
  });

  it('a reset code expires after ten minutes, also a locked one, and alike without an account', async () => {
    const person = await buildPatient(test.gateway);
    await forgot(person.email).expect(200);
    const { code } = await mailedCode(test.gateway, person._id, 'reset');
    const locked = [(await buildPatient(test.gateway)).email, 'nobody.at.all@hospital.test'];
    const guess = (email: string) => reset({ email, otp: '000000', newPassword: 'Meadow-Copper-19' });
    for (const email of locked) {
      await forgot(email).expect(200);
      for (let i = 0; i < limits.codeTries; i++) await guess(email).expect(422);
      await guess(email).expect(423);
    }
    test.clock.forward({ minutes: limits.codeMinutes, seconds: 1 });
    await reset({ email: person.email, otp: code, newPassword: 'Meadow-Copper-19' }).expect(410);
    for (const email of locked) await guess(email).expect(410);
  });

  it.each([
    [{}],
    [{ email: 'a@b.test', otp: '12', newPassword: 'Meadow-Copper-19' }],
    [{ email: 'a@b.test', otp: '123456', newPassword: 'short' }],
    [{ token: 'x', password: 'Meadow-Copper-19', extra: 1 }],
    [{ token: '', password: 'Meadow-Copper-19' }],
  ])('a reset with %j is refused', async (body) => {
    const answer = await reset(body).expect(422);
    expect(answer.body.errors.length).toBeGreaterThan(0);
  });
});

it('the database contains no codes and no tokens, and passwords only as Argon2id hashes', async () => {
  const person = await buildPatient(test.gateway);
  await verificationFor(person);
  const { code, seed } = await mailedCode(test.gateway, person._id);
  expect(JSON.stringify(seed)).not.toContain(`"${code}"`);
  const user = await test.gateway.models.User.findOne({ email: firstAdmin.email }).lean<UserDoc>();
  expect(user?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});
