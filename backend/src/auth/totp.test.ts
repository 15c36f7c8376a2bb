import type { CallShape } from '@lightbox/contract/call.js';
import { type CallName, calls } from '@lightbox/contract/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Permission, permissions, roleMay } from '@lightbox/contract/permissions.js';
import { newId } from '@lightbox/core/db/ids.js';
import { consequencesOf } from '@lightbox/core/events/reactions.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { TotpDoc } from '@lightbox/core/models/totp.js';
import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectSocket } from '../testing/client.js';
import { envelopeOf } from '../testing/envelope.js';
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
import { useGateway } from '../testing/useGateway.js';
import { adminCode } from './adminCode.js';

const { test, api } = useGateway();

/** Returns the code that the person's telephone shows, `steps` from now. */
const shown = (secret: string, steps = 0, clock = test.clock) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: clock.now().getTime() + steps * limits.totpSeconds * 1000,
  });
const nextStep = () => test.clock.forward({ seconds: limits.totpSeconds });

interface WithApp extends Person {
  secret: string;
  recoveryCodes: string[];
}

async function withApp(person: Person): Promise<WithApp> {
  const token = (await signIn(test.gateway, person._id)).token;
  const started = await api.as(token).post('/auth/totp', { password: PASSWORD }).expect(200);
  const { secret } = started.body.data;
  const done = await api
    .as(token)
    .post('/auth/totp', { code: shown(secret) })
    .expect(200);
  nextStep();
  // A session without a proof of its own.
  const fresh = await signIn(test.gateway, person._id);
  return { ...person, ...fresh, secret, recoveryCodes: done.body.data.recoveryCodes };
}

async function password({ email }: Person, through = api): Promise<string> {
  const { body } = await through.post('/auth/login', { email, password: PASSWORD }).expect(200);
  return body.data.token;
}
const confirm = (token: string, body: object) => api.as(token).post('/auth/confirm', body);
const events = (record: Person, type: EventDoc['type']) =>
  test.gateway.models.Event.find({ record: record._id, type, status: 'success' }).lean<EventDoc[]>();

describe('setting up an authenticator app', () => {
  it('the set-up needs a code of the app, and shows ten recovery codes once', async () => {
    const person = await buildProvider(test.gateway);
    const { body } = await api.as(person).post('/auth/totp', { password: PASSWORD }).expect(200);
    const { secret, uri } = body.data;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toMatch(/^otpauth:\/\/totp\/Lightbox:/);
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    const refused = await api
      .as(person)
      .post('/auth/totp', { code: wrong(shown(secret)) })
      .expect(422);
    expect(refused.body).toMatchObject({ error: 'WRONG_CODE', triesLeft: limits.codeTries - 1 });
    expect((await api.as(person).get('/auth/totp').expect(200)).body.data.on).toBe(false);
    const done = await api
      .as(person)
      .post('/auth/totp', { code: shown(secret) })
      .expect(200);
    const { recoveryCodes } = done.body.data;
    expect(new Set(recoveryCodes).size).toBe(limits.recoveryCodes);
    expect((await api.as(person).get('/auth/totp').expect(200)).body.data).toEqual({
      on: true,
      since: expect.any(String),
      recoveryCodesLeft: limits.recoveryCodes,
      required: false,
    });
    expect((await api.as(person).get('/users/profile').expect(200)).body.data.totp).toBe(true);
    await api.as(person).post('/auth/totp', { password: PASSWORD }).expect(409);
    await api
      .as(person)
      .post('/auth/totp', { code: shown(secret, 1) })
      .expect(409);
    expect(await events(person, 'totp.on')).toHaveLength(1);

    const kept = JSON.stringify(await test.gateway.models.Totp.findById(person._id).lean<TotpDoc>());
    for (const plain of [secret, ...recoveryCodes, ...recoveryCodes.map((code: string) => code.replace('-', ''))]) {
      expect(kept).not.toContain(plain);
    }
  });

  it('the set-up locks after five wrong codes until there is a new secret, and expires after ten minutes', async () => {
    const person = await buildPatient(test.gateway);
    const start = async () =>
      (await api.as(person).post('/auth/totp', { password: PASSWORD }).expect(200)).body.data.secret;
    const turnOn = (code: string) => api.as(person).post('/auth/totp', { code });
    const first = await start();
    for (let i = 0; i < limits.codeTries; i++) await turnOn(wrong(shown(first))).expect(422);
    await turnOn(shown(first)).expect(423);
    const second = await start();
    await turnOn(shown(first)).expect(422);
    test.clock.forward({ minutes: limits.codeMinutes });
    await turnOn(shown(second)).expect(410);
    await turnOn(shown(await start())).expect(200);
  });
});

describe('a sign-in with an authenticator app', () => {
  it('mails nothing, says so, and takes a code of the app once', async () => {
    const person = await withApp(await buildProvider(test.gateway));
    const login = await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200);
    expect(login.body.data.method).toBe('totp');
    const [entered] = await events(person, 'auth.login');
    expect(entered?.refs).toEqual({});
    const code = shown(person.secret);
    const done = await confirm(login.body.data.token, { code }).expect(200);
    await api.as(done.body.data.token).get('/users/profile').expect(200);
    await confirm(login.body.data.token, { code }).expect(410);
    await confirm(await password(person), { code }).expect(422);
    nextStep();
    await confirm(await password(person), { code: shown(person.secret) }).expect(200);
  });

  it('a sign-in without an app is unchanged, and reports its method too', async () => {
    const person = await buildPatient(test.gateway);
    const { body } = await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200);
    expect(body.data.method).toBe('mail');
    await confirm(body.data.token, { recoveryCode: 'ABCDE-FGHJK' }).expect(422);
    const { code } = await mailedCode(test.gateway, person._id);
    await confirm(body.data.token, { code }).expect(200);
  });

  it('codes of the time steps directly before and after are accepted, and no others', async () => {
    const person = await withApp(await buildPatient(test.gateway));
    nextStep();
    const enter = async (steps: number) => confirm(await password(person), { code: shown(person.secret, steps) });
    await test.clock.still(async () => {
      expect([(await enter(-2)).status, (await enter(2)).status]).toEqual([422, 422]);
      expect([(await enter(-1)).status, (await enter(1)).status]).toEqual([200, 200]);
      // Older than the one that was used last.
      expect((await enter(0)).status).toBe(422);
    });
  });

  it('answers five wrong codes with 422 and then locks, also for the right one', async () => {
    const person = await withApp(await buildPatient(test.gateway));
    const token = await password(person);
    for (let left = limits.codeTries - 1; left >= 0; left--) {
      const { body } = await confirm(token, { code: wrong(shown(person.secret)) }).expect(422);
      expect(body).toMatchObject({ error: 'WRONG_CODE', triesLeft: left });
    }
    await confirm(token, { code: shown(person.secret) }).expect(423);
    await confirm(token, { recoveryCode: person.recoveryCodes[0] }).expect(423);
    await confirm(await password(person), { code: shown(person.secret) }).expect(200);
  });

  it('opens one session for a code that is sent twice at once', async () => {
    const person = await withApp(await buildPatient(test.gateway));
    const tokens = [await password(person), await password(person), await password(person)];
    const code = shown(person.secret);
    const answers = await Promise.all(tokens.map((token) => confirm(token, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  });

  it('each recovery code works once, in any spelling', async () => {
    const person = await withApp(await buildPatient(test.gateway));
    const [first = '', second = ''] = person.recoveryCodes;
    await confirm(await password(person), { recoveryCode: first }).expect(200);
    await confirm(await password(person), { recoveryCode: first }).expect(422);
    await confirm(await password(person), { recoveryCode: ` ${second.toLowerCase().replace('-', '')} ` }).expect(200);
    const { body } = await api.as(person).get('/auth/totp').expect(200);
    expect(body.data.recoveryCodesLeft).toBe(limits.recoveryCodes - 2);
    const reasons = (await test.gateway.models.Event.find({ actor: person._id, type: 'auth.confirm' }).lean()).map(
      ({ status, reason }) => `${status} ${reason}`,
    );
    expect(reasons).toEqual(['success recoveryCode', 'failed WRONG_CODE', 'success recoveryCode']);
  });

  it.each([
    [{}, 'code'],
    [{ code: '123456', recoveryCode: 'ABCDE-FGHJK' }, 'recoveryCode'],
    [{ recoveryCode: 'ABCDE' }, 'recoveryCode'],
    [{ recoveryCode: 'ABCDE-FGHI0' }, 'recoveryCode'],
    [{ recoveryCode: { $ne: null } }, 'recoveryCode'],
  ])('calls %j invalid', async (body, field) => {
    const token = test.gateway.tokens.verification(String(newId()), String(newId()));
    const answer = await confirm(token, body).expect(422);
    expect(answer.body).toMatchObject({ error: 'VALIDATION_FAILED', errors: [{ field }] });
  });

  it('a request for another code mails none', async () => {
    const person = await withApp(await buildPatient(test.gateway));
    const token = await password(person);
    await api.as(token).post('/auth/resend-code', {}).expect(409);
    expect(await events(person, 'auth.resendCode')).toEqual([]);
    await confirm(token, { code: shown(person.secret) }).expect(200);
  });
});

describe('an authenticator app is removed', () => {
  const remove = (person: Person, body: object) => api.as(person).del('/auth/totp', body);

  it('with the password or a code, and codes are mailed again', async () => {
    for (const way of ['password', 'code'] as const) {
      const person = await withApp(await buildPatient(test.gateway));
      await remove(person, { password: 'Wrong-Pass-1' }).expect(422);
      await remove(person, { code: wrong(shown(person.secret)) }).expect(422);
      expect((await remove(person, {}).expect(403)).body.error).toBe('STEP_UP_REQUIRED');
      await remove(person, way === 'password' ? { password: PASSWORD } : { code: shown(person.secret) }).expect(200);
      await remove(person, { password: PASSWORD }).expect(404);
      const { body } = await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200);
      expect(body.data.method).toBe('mail');
      expect(await events(person, 'totp.off')).toHaveLength(1);
      expect(await test.gateway.models.Totp.exists({ _id: person._id })).toBeNull();
    }
  });

  it('guesses cannot remove the app: after five tries only a new sign-in allows more', async () => {
    const person = await withApp(await buildPatient(test.gateway));
    for (let i = 0; i < limits.codeTries; i++) await remove(person, { code: wrong(shown(person.secret)) }).expect(422);
    await remove(person, { code: shown(person.secret) }).expect(423);
    await confirm(await password(person), { code: shown(person.secret) }).expect(200);
    nextStep();
    await remove(person, { code: shown(person.secret) }).expect(200);
  });

  it('an administrator can remove the app of another person', async () => {
    const [person, admin] = [await withApp(await buildProvider(test.gateway)), await buildAdmin(test.gateway)];
    await api
      .as(await buildProvider(test.gateway))
      .del(`/users/totp/${person.id}`)
      .expect(403);
    await api.as(admin).post('/auth/step-up', { password: PASSWORD }).expect(200);
    await api.as(admin).del(`/users/totp/${admin.id}`).expect(409);
    await api.as(admin).del(`/users/totp/${newId()}`).expect(404);
    await api.as(admin).del(`/users/totp/${person.id}`).expect(200);
    await api.as(admin).del(`/users/totp/${person.id}`).expect(200);
    const [reset, ...more] = await events(person, 'totp.reset');
    expect(reset?.actor).toEqual(admin._id);
    expect(more).toEqual([]);
    const { body } = await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200);
    expect(body.data.method).toBe('mail');
  });
});

describe('recovery codes are renewed', () => {
  const renew = (person: Person, body: object) => api.as(person).post('/auth/totp/recovery-codes', body);

  it('the password or a code renews the recovery codes; the old ones stop working, and the app continues', async () => {
    for (const way of ['password', 'code'] as const) {
      const person = await withApp(await buildPatient(test.gateway));
      await renew(person, { password: 'Wrong-Pass-1' }).expect(422);
      await renew(person, { code: wrong(shown(person.secret)) }).expect(422);
      expect((await renew(person, {}).expect(403)).body.error).toBe('STEP_UP_REQUIRED');
      await confirm(await password(person), { recoveryCode: person.recoveryCodes[0] }).expect(200);
      const proof = way === 'password' ? { password: PASSWORD } : { code: shown(person.secret) };
      const { body } = await renew(person, proof).expect(200);
      const fresh: string[] = body.data.recoveryCodes;
      expect(new Set([...fresh, ...person.recoveryCodes]).size).toBe(2 * limits.recoveryCodes);
      const state = await api.as(person).get('/auth/totp').expect(200);
      expect(state.body.data).toMatchObject({ on: true, recoveryCodesLeft: limits.recoveryCodes });
      const token = await password(person);
      await confirm(token, { recoveryCode: person.recoveryCodes[1] }).expect(422);
      await confirm(token, { recoveryCode: fresh[0] }).expect(200);
      nextStep();
      await confirm(await password(person), { code: shown(person.secret) }).expect(200);
      // Proven, told to its owner by mail, and once in the log; never the codes themselves.
      const [event, ...more] = await events(person, 'totp.recovery');
      expect([event?.pending !== undefined, consequencesOf('totp.recovery')?.mail?.(event as EventDoc), more]).toEqual([
        true,
        'recoveryCodes',
        [],
      ]);
      expect(JSON.stringify(event)).not.toContain(fresh[0]);
    }
  });

  it('renewal needs an app and a right code, and a code of the app works once', async () => {
    const person = await withApp(await buildPatient(test.gateway));
    await renew(await buildPatient(test.gateway), { password: PASSWORD }).expect(404);
    const code = shown(person.secret);
    const both = await Promise.all([renew(person, { code }), renew(person, { code })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    for (let i = 1; i < limits.codeTries; i++) await renew(person, { code: wrong(shown(person.secret, 1)) });
    nextStep();
    for (let i = 0; i < limits.codeTries; i++) await renew(person, { code: wrong(shown(person.secret)) });
    await renew(person, { code: shown(person.secret) }).expect(423);
  });
});

describe('an authenticator app whose secret was tampered with', () => {
  it('a damaged secret is reported as damaged, once in the log; recovery codes and the password continue to work', async () => {
    const [person, other] = [
      await withApp(await buildPatient(test.gateway)),
      await withApp(await buildPatient(test.gateway)),
    ];
    const { Totp } = test.gateway.models;
    // Another's is not one's own, though every bit of it is right.
    const { secret } = (await Totp.findById(other._id).lean<TotpDoc>()) ?? { secret: '' };
    await Totp.updateOne({ _id: other._id }, { $set: { secret: 'elsewhere.x' } });
    await Totp.updateOne({ _id: person._id }, { $set: { secret } });
    const said = vi.spyOn(test.gateway.log, 'error');
    for (const answer of [
      confirm(await password(person), { code: shown(person.secret) }),
      confirm(await password(person), { code: shown(other.secret) }),
      api.as(person).del('/auth/totp', { code: shown(person.secret) }),
      confirm(await password(other), { code: shown(other.secret) }),
    ]) {
      expect((await answer.expect(500)).body.error).toBe('DAMAGED');
    }
    const alarms = said.mock.calls.filter(([, text]) => text === 'something stored is damaged');
    expect(alarms.map(([line]) => line)).toEqual(
      [person, other].map(({ id }) => ({ reason: `The secret of totp/${id} cannot be opened.` })),
    );
    said.mockRestore();
    await confirm(await password(person), { recoveryCode: person.recoveryCodes[0] }).expect(200);
    await api.as(person).del('/auth/totp', { password: PASSWORD }).expect(200);
    await withApp(person);
  });
});

/**
 * The calls of a person whose role needs a second factor that the account lacks: signing in and out, setting one up, and
 * what every screen reads. None of them tells of a patient.
 */
const openCalls: readonly CallName[] = [
  'logout',
  'listSessions',
  'endOtherSessions',
  'endSession',
  'listSignIns',
  'listTokens',
  'getCurrentToken',
  'revokeToken',
  'listIdentities',
  'beginLink',
  'finishLink',
  'unlink',
  'stepUp',
  'askStepUpPasskey',
  'mailStepUpCode',
  'beginSignOnStepUp',
  'finishSignOnStepUp',
  'getTotp',
  'setUpTotp',
  'removeTotp',
  'renewRecoveryCodes',
  'listPasskeys',
  'askNewPasskey',
  'addPasskey',
  'renamePasskey',
  'removePasskey',
  'getProfile',
  'getPublicSettings',
];

describe('a required second factor', () => {
  let admin: WithApp;
  beforeAll(async () => {
    admin = await withApp(await buildAdmin(test.gateway));
  });
  const require = async () => {
    const body = { name: 'security.requireSecondFactor', value: 'staff', description: '' };
    return (await api.as(admin).post('/appsetting/add', body).expect(201)).body.data.id as string;
  };
  afterEach(async () => {
    await test.gateway.models.Setting.deleteMany({});
    test.gateway.settings.forget();
  });

  it('the setting has two values', async () => {
    const body = { name: 'security.requireSecondFactor', value: 'everybody', description: '' };
    const { body: answer } = await api.as(admin).post('/appsetting/add', body).expect(422);
    expect(answer.errors[0].field).toBe('value');
    const { body: known } = await api.as(admin).get('/appsetting/known').expect(200);
    expect(known.data).toContainEqual(
      expect.objectContaining({ name: body.name, kind: 'choice', options: ['none', 'staff'], current: 'none' }),
    );
  });

  it.each(['by a value kept from before', 'by a client from before'])(
    'counts under its former name too, %s',
    async (how) => {
      const row = { name: 'security.requireTotp', value: 'staff', description: '' };
      const at = { createAt: test.clock.now(), updatedAt: test.clock.now() };
      if (how.includes('client')) await api.as(admin).post('/appsetting/add', row).expect(201);
      else await test.gateway.models.Setting.create([{ ...row, ...at }]);
      test.gateway.settings.forget();
      const { body } = await api
        .as(await buildProvider(test.gateway))
        .get('/users')
        .expect(403);
      expect(body.error).toBe('TOTP_REQUIRED');
      const [listed, ...more] = (await api.as(admin).get('/appsetting/').expect(200)).body.data;
      expect([listed.name, more]).toEqual(['security.requireSecondFactor', []]);
      await api.as(admin).put(`/appsetting/edit/${listed.id}`, { value: 'none' }).expect(200);
      await api
        .as(await buildProvider(test.gateway))
        .get('/users')
        .expect(200);
    },
  );

  it('people without an app can do nothing else until they have set one up', async () => {
    await require();
    const person = await buildProvider(test.gateway);
    const { body } = await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200);
    const { code } = await mailedCode(test.gateway, person._id);
    const confirmed = await confirm(body.data.token, { code }).expect(200);
    expect(confirmed.body.data.setUpTotp).toBe(true);
    const { token } = confirmed.body.data;
    const shapes = Object.entries(calls) as [CallName, CallShape][];
    for (const [name, shape] of shapes) {
      if (!Object.hasOwn(permissions, shape.who) || openCalls.includes(name)) continue;
      const path = shape.path.replace(/:\w+/g, String(newId()));
      const answer = await api
        .as(token)
        .call(shape.method, path, ['get', 'head'].includes(shape.method) ? undefined : {});
      const expected = roleMay('healthProvider', shape.who as Permission) ? 'TOTP_REQUIRED' : 'FORBIDDEN';
      // An answer to HEAD has no body.
      const error = shape.method === 'head' ? undefined : expected;
      expect([answer.status, envelopeOf(answer.body).error], name).toEqual([403, error]);
    }
    const socket = await connectSocket(test.url, { token });
    const to = await buildPatient(test.gateway);
    expect(await socket.ask('message:send', { recipientId: to.id, content: 'x' })).toMatchObject({
      error: 'TOTP_REQUIRED',
    });
    await api.as(to).post('/message/send', { recipientId: person.id, content: 'Hi' }).expect(201);

    await api.as(token).get('/users/profile').expect(200);
    const started = await api.as(token).post('/auth/totp', { password: PASSWORD }).expect(200);
    await api
      .as(token)
      .post('/auth/totp', { code: shown(started.body.data.secret) })
      .expect(200);
    await api.as(token).get('/users').expect(200);
    const again = await connectSocket(test.url, { token });
    await api.as(to).post('/message/send', { recipientId: person.id, content: 'Hi again' }).expect(201);
    expect(await again.until('message:new')).toMatchObject([{ content: 'Hi again' }]);
    // Nothing of before; from here on the first socket hears what the second one does.
    expect(await socket.until('message:new')).toMatchObject([{ content: 'Hi again' }]);
    for (const { socket: open } of [socket, again]) open.close();
  });

  it('patients, and people with a second factor, are not affected', async () => {
    await require();
    await api
      .as(await buildPatient(test.gateway))
      .get('/users')
      .expect(200);
    await api.as(admin).get('/users').expect(200);
    const { body } = await api.as(admin).get('/auth/totp').expect(200);
    expect(body.data.required).toBe(true);
  });
});

describe('the code that an administrator is told at the machine', () => {
  it('the code belongs to the waiting sign-in, works once, and is in the log', async () => {
    const admin = await buildAdmin(test.gateway);
    expect(await adminCode(test.gateway, admin.email)).toMatchObject({ code: null });
    const token = await password(admin);
    const mailed = await mailedCode(test.gateway, admin._id);
    for (let i = 0; i < limits.codeTries; i++) await confirm(token, { code: wrong(mailed.code) }).expect(422);
    const { code, text } = await adminCode(test.gateway, ` ${admin.email.toUpperCase()}`);
    expect(text).toContain(`Code: ${code}\n`);
    await confirm(token, { code: mailed.code }).expect(422);
    await confirm(token, { code }).expect(200);
    await confirm(token, { code }).expect(410);
    expect(await events(admin, 'auth.adminCode')).toMatchObject([{ status: 'success', ip: '' }]);
    expect(await adminCode(test.gateway, admin.email)).toMatchObject({ code: null });
  });

  it('the code also replaces a lost app, and only for administrators', async () => {
    const admin = await withApp(await buildAdmin(test.gateway));
    const token = await password(admin);
    const { code } = await adminCode(test.gateway, admin.email);
    await confirm(token, { code }).expect(200);
    const provider = await buildProvider(test.gateway);
    await password(provider);
    for (const email of [provider.email, 'nobody@hospital.test', '']) {
      expect(await adminCode(test.gateway, email)).toMatchObject({ code: null });
    }
  });
});
