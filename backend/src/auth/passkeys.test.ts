import { limits } from '@lightbox/contract/limits.js';
import { throttles } from '@lightbox/contract/throttles.js';
import type { UserStatus } from '@lightbox/contract/users/schemas.js';
import { newId } from '@lightbox/core/db/ids.js';
import { consequencesOf } from '@lightbox/core/events/reactions.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { PasskeyDoc } from '@lightbox/core/models/passkey.js';
import { describe, expect, it } from 'vitest';
import { Authenticator } from '../testing/authenticator.js';
import { Client } from '../testing/client.js';
import { buildAdmin, buildPatient, buildProvider, PASSWORD, type Person, signIn } from '../testing/factories.js';
import { buildGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

const device = () => new Authenticator(test.config.publicUrl);
const ask = async (person: { token: string }, through = api) =>
  (await through.as(person).post('/auth/passkeys/options', { password: PASSWORD }).expect(200)).body.data;
const add = (person: { token: string }, made: object, name = 'Desk') =>
  api.as(person).post('/auth/passkeys', { ...made, name });
const signInQuestion = async () => (await api.post('/auth/passkey/options', {}).expect(200)).body.data;
const enter = (answer: object) => api.post('/auth/passkey', answer);
const events = (filter: object) => test.gateway.models.Event.find(filter).sort({ _id: 1 }).lean<EventDoc[]>();
const kept = async (key: Authenticator) =>
  test.gateway.models.Passkey.findOne({ credentialId: key.id }).lean<PasskeyDoc>();

async function withPasskey(person: Person, key = device()) {
  const { body } = await add(person, key.create(await ask(person))).expect(201);
  return {
    ...person,
    key,
    passkey: body.data.passkey.id as string,
    recoveryCodes: body.data.recoveryCodes as string[],
  };
}

describe('a passkey is added', () => {
  it('for sign-ins without an address, checked by the device; the first gives recovery codes, and a mail tells of each', async () => {
    const person = await buildProvider(test.gateway);
    const question = await ask(person);
    expect(question.options).toMatchObject({
      rp: { id: 'localhost', name: 'Lightbox' },
      user: { name: person.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    });
    expect(JSON.stringify(question.options)).not.toContain(person.id);
    const [first, second] = [device(), device()];
    const { body } = await add(person, first.create(question)).expect(201);
    expect(body.data.passkey).toEqual({
      id: expect.any(String),
      name: 'Desk',
      createAt: expect.any(String),
      synced: false,
    });
    expect(new Set(body.data.recoveryCodes).size).toBe(limits.recoveryCodes);
    const again = await ask(person);
    expect(again.options).toMatchObject({ excludeCredentials: [{ id: first.id }] });
    expect(again.options.user.id).toBe(question.options.user.id);
    expect((await add(person, second.create(again), 'Telephone').expect(201)).body.data.recoveryCodes).toBeUndefined();
    const listed = (await api.as(person).get('/auth/passkeys').expect(200)).body.data;
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(['Desk', 'Telephone']);
    const added = await events({ actor: person._id, type: 'passkey.add', status: 'success' });
    expect(added.map((event) => consequencesOf(event.type)?.mail?.(event))).toEqual(['passkeyAdded', 'passkeyAdded']);
    expect((await api.as(person).get('/users/profile').expect(200)).body.data.passkeys).toBe(true);
  });

  it.each<[string, (key: Authenticator) => void]>([
    [
      'another origin',
      (key) => {
        key.origin = 'http://localhost.evil.example';
      },
    ],
    [
      'another domain',
      (key) => {
        key.rpId = 'evil.example';
      },
    ],
    [
      'a device that has not checked who holds it',
      (key) => {
        key.verifies = false;
      },
    ],
  ])('never for %s', async (_, change) => {
    const person = await buildPatient(test.gateway);
    const key = device();
    change(key);
    expect((await add(person, key.create(await ask(person))).expect(401)).body.error).toBe('PASSKEY_REFUSED');
    expect(await kept(key)).toBeNull();
  });

  it('a new passkey needs a fresh challenge of the same session, used once', async () => {
    const person = await buildPatient(test.gateway);
    const question = await ask(person);
    const other = await signIn(test.gateway, person._id);
    const theirs = await ask(other);
    await add(person, device().create(theirs)).expect(410);
    const [id, until = '', keyId, challenge] = question.ceremony.split('.');
    const longer = [id, String(Number(until) + 60_000), keyId, challenge].join('.');
    const another = [newId(), until, keyId, challenge].join('.');
    for (const ceremony of ['x', 'x.y.z', longer, another, [id, until, 'none', challenge].join('.')]) {
      await add(person, device().create({ ...question, ceremony })).expect(410);
    }
    // None of these has spent it.
    await add(person, device().create(question)).expect(201);
    const [key, late] = [device(), await ask(person)];
    const made = key.create(await ask(person));
    await add(person, made).expect(201);
    await add(person, made).expect(410);
    await add(person, key.create(await ask(person))).expect(409);
    test.clock.forward({ minutes: limits.ceremonyMinutes });
    await add(person, device().create(late)).expect(410);
    expect(await test.gateway.models.Passkey.countDocuments({ user: person._id })).toBe(2);
  });

  it('an account has at most twenty passkeys', async () => {
    const person = await withPasskey(await buildPatient(test.gateway));
    const row = await kept(person.key);
    const more = Array.from({ length: limits.passkeys - 1 }, () => ({
      ...row,
      _id: newId(),
      credentialId: String(newId()),
    }));
    await test.gateway.models.Passkey.insertMany(more);
    await api.as(person).post('/auth/passkeys/options', { password: PASSWORD }).expect(409);
  });
});

describe('a sign-in with a passkey', () => {
  it('a passkey alone signs in, and the log has the sign-in', async () => {
    const person = await withPasskey(await buildProvider(test.gateway));
    const question = await signInQuestion();
    expect(question.options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
    person.key.counter = 1;
    const answer = await enter(person.key.get(question)).expect(200);
    expect(answer.body.data.user.id).toBe(person.id);
    expect(answer.get('Set-Cookie')?.join()).toContain('lightbox_refresh=');
    await api.as(answer.body.data.token).get('/users/profile').expect(200);
    expect(await events({ actor: person._id, type: 'auth.confirm' })).toMatchObject([
      { reason: 'passkey', status: 'success' },
    ]);
    expect(await kept(person.key)).toMatchObject({ counter: 1, usedAt: expect.any(Date) });
    // A sign-in of now, but authenticators want more.
    await api.as(answer.body.data.token).post('/auth/totp', {}).expect(403);
  });

  it('an answer of a passkey works once, also when it is sent twice at once', async () => {
    const person = await withPasskey(await buildProvider(test.gateway));
    const answer = person.key.get(await signInQuestion());
    const both = await Promise.all([enter(answer), enter(answer)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 410]);
    test.clock.forward({ minutes: limits.ceremonyMinutes });
    await enter(answer).expect(410);
  });

  it.each<[string, (key: Authenticator) => void]>([
    [
      'another origin',
      (key) => {
        key.origin = 'https://lightbox.evil.example';
      },
    ],
    [
      'another domain',
      (key) => {
        key.rpId = 'evil.example';
      },
    ],
    [
      'a device that has not checked who holds it',
      (key) => {
        key.verifies = false;
      },
    ],
    [
      'another account’s handle',
      (key) => {
        key.userHandle = 'AAAA';
      },
    ],
    [
      'a counter that went back, as a copy’s does',
      (key) => {
        key.counter = 4;
      },
    ],
    [
      'a counter that stands still, as a copy’s does',
      (key) => {
        key.counter = 5;
      },
    ],
  ])('is refused from %s, and its owner sees it', async (_, change) => {
    const person = await withPasskey(await buildPatient(test.gateway));
    person.key.counter = 5;
    await enter(person.key.get(await signInQuestion())).expect(200);
    change(person.key);
    if (person.key.counter === 5 && !_.includes('counter')) person.key.counter = 6;
    const { body } = await enter(person.key.get(await signInQuestion())).expect(401);
    expect(body.error).toBe('PASSKEY_REFUSED');
    expect(await events({ actor: person._id, type: 'auth.login' })).toMatchObject([
      { status: 'failed', reason: 'PASSKEY_REFUSED' },
    ]);
  });

  it('an unknown passkey and a challenge of a session are refused', async () => {
    await enter(device().get(await signInQuestion())).expect(401);
    const person = await withPasskey(await buildPatient(test.gateway));
    const within = (await api.as(person).post('/auth/step-up/passkey', {}).expect(200)).body.data;
    await enter(person.key.get(within)).expect(410);
    await enter(person.key.get(await signInQuestion())).expect(200);
  });

  it.each<[Partial<{ status: UserStatus; active: boolean }>, string]>([
    [{ status: 'pending' }, 'ACCOUNT_PENDING'],
    [{ status: 'rejected' }, 'ACCOUNT_REJECTED'],
    [{ active: false }, 'ACCOUNT_INACTIVE'],
  ])('a sign-in with the right passkey states why an account of %j is refused', async (state, code) => {
    const person = await withPasskey(await buildProvider(test.gateway));
    await test.gateway.models.User.updateOne({ _id: person._id }, { $set: state });
    expect((await enter(person.key.get(await signInQuestion())).expect(403)).body.error).toBe(code);
  });

  it('failed sign-ins with passkeys are limited by address', async () => {
    const throttled = await buildGateway({ rateLimits: true });
    try {
      const client = new Client(throttled.url);
      const statuses: number[] = [];
      for (let i = 0; i <= throttles.loginAddress.points; i++) {
        const question = (await client.post('/auth/passkey/options', {}).expect(200)).body.data;
        statuses.push((await client.post('/auth/passkey', device().get(question))).status);
      }
      expect(statuses.slice(-2)).toEqual([401, 429]);
    } finally {
      await throttled.stop();
    }
  });
});

describe('with a passkey, the password', () => {
  it('a sign-in with the password is completed by the passkey or a recovery code, not by mail', async () => {
    const person = await withPasskey(await buildProvider(test.gateway));
    const login = async () =>
      (await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200)).body.data;
    const { token, method } = await login();
    expect(method).toBe('passkey');
    expect((await events({ actor: person._id, type: 'auth.login' })).map(({ refs }) => refs)).toEqual([{}]);
    await api.as(token).post('/auth/resend-code', {}).expect(409);
    await api.as(token).post('/auth/confirm', { code: '123456' }).expect(422);
    const recoveryCode = person.recoveryCodes[0];
    await api.as(token).post('/auth/confirm', { recoveryCode }).expect(200);
    await api
      .as((await login()).token)
      .post('/auth/confirm', { recoveryCode })
      .expect(422);
    const { body } = await api.as(person).post('/auth/totp/recovery-codes', { password: PASSWORD }).expect(200);
    await api
      .as((await login()).token)
      .post('/auth/confirm', { recoveryCode: body.data.recoveryCodes[0] })
      .expect(200);
    expect((await api.as(person).get('/auth/totp').expect(200)).body.data).toMatchObject({
      on: false,
      recoveryCodesLeft: limits.recoveryCodes - 1,
    });
  });
});

it('a passkey is the second factor that the clinic requires', async () => {
  const admin = await withPasskey(await buildAdmin(test.gateway));
  const setting = { name: 'security.requireSecondFactor', value: 'staff', description: '' };
  await api.as(admin).post('/appsetting/add', setting).expect(201);
  try {
    const person = await buildProvider(test.gateway);
    expect((await api.as(person).get('/users').expect(403)).body.error).toBe('TOTP_REQUIRED');
    const { passkey } = await withPasskey(person);
    await api.as(person).get('/users').expect(200);
    await api.as(person).del(`/auth/passkeys/${passkey}`, { password: PASSWORD }).expect(200);
    await api.as(person).get('/users').expect(403);
  } finally {
    await test.gateway.models.Setting.deleteMany({});
    test.gateway.settings.forget();
  }
});

describe('one’s own passkeys', () => {
  it('a person can rename and remove their own passkeys, and no others', async () => {
    const [person, stranger] = [await withPasskey(await buildPatient(test.gateway)), await buildPatient(test.gateway)];
    const path = `/auth/passkeys/${person.passkey}`;
    await api.as(stranger).put(path, { name: 'Mine' }).expect(404);
    await api.as(stranger).del(path, { password: PASSWORD }).expect(404);
    expect((await api.as(person).put(path, { name: ' Telephone ' }).expect(200)).body.data.name).toBe('Telephone');
    await api.as(person).del(path, { password: PASSWORD }).expect(200);
    await api.as(person).del(path, { password: PASSWORD }).expect(404);
    await enter(person.key.get(await signInQuestion())).expect(401);
    const { body } = await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200);
    expect(body.data.method).toBe('mail');
    expect(await test.gateway.models.Totp.exists({ _id: person._id })).toBeNull();
  });

  it('passkeys end with the account, or when an administrator resets them', async () => {
    const [closed, lost] = [
      await withPasskey(await buildPatient(test.gateway)),
      await withPasskey(await buildPatient(test.gateway)),
    ];
    await api.as(closed).del('/users/profile', { password: PASSWORD }).expect(200);
    const admin = await buildAdmin(test.gateway);
    await api.as(admin).post('/auth/step-up', { password: PASSWORD }).expect(200);
    await api.as(admin).del(`/users/totp/${lost.id}`).expect(200);
    expect(await test.gateway.models.Passkey.countDocuments({ user: { $in: [closed._id, lost._id] } })).toBe(0);
    expect(
      (await api.post('/auth/login', { email: lost.email, password: PASSWORD }).expect(200)).body.data.method,
    ).toBe('mail');
  });
});
