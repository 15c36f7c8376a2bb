import type { CallShape } from '@lightbox/contract/call.js';
import { type CallName, calls } from '@lightbox/contract/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { Authenticator } from '../testing/authenticator.js';
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

const { test, api } = useGateway();

const shapes = Object.entries(calls) as [CallName, CallShape][];
const asking = shapes.filter(([, { stepUp }]) => stepUp);

const hook = { url: 'https://127.0.0.1/x', events: ['image.uploaded'] };
/** A body that each of them reads; what it names is not there, so nothing comes of it. */
const bodies: Partial<Record<CallName, object>> = {
  changeRole: { role: 'patient' },
  finishLink: { query: '' },
  createScimToken: { name: 'x', provider: 'x' },
  createToken: { name: 'x', scopes: ['read'], days: 1 },
  createWebhook: hook,
  createInstallationWebhook: hook,
  changeWebhook: hook,
  createDicomNode: { title: 'CT1', addresses: [], userId: String(newId()) },
  changeDicomNode: { title: 'CT1', addresses: [], userId: String(newId()) },
  setLegalHold: { held: true, reason: 'Letter of the court' },
  openEmergency: { reason: 'Unconscious after a fall' },
  addPasskey: {
    ...new Authenticator('http://localhost').create({ ceremony: 'x', options: { challenge: 'x' } }),
    name: 'x',
  },
};

async function ask(token: string, [name, shape]: [CallName, CallShape], proof: object = {}): Promise<string> {
  const path = shape.path.replace(/:\w+/g, String(newId()));
  const body = shape.method === 'get' ? undefined : { ...bodies[name], ...proof };
  const { body: answer } = await api.as(token).call(shape.method, path, body);
  return answer?.error ?? '';
}

describe('a proof that it is still the same person', () => {
  it('is asked by all that turns authenticators on or off, makes administrators or exports', () => {
    const levels = Object.fromEntries(shapes.flatMap(([name, { stepUp }]) => (stepUp ? [[name, stepUp]] : [])));
    expect(levels).toEqual({
      setUpTotp: 'always',
      removeTotp: 'always',
      renewRecoveryCodes: 'always',
      resetUserTotp: 'always',
      askNewPasskey: 'always',
      addPasskey: 'always',
      removePasskey: 'always',
      createToken: 'recent',
      createScimToken: 'recent',
      beginLink: 'recent',
      finishLink: 'recent',
      unlink: 'recent',
      createWebhook: 'recent',
      createInstallationWebhook: 'recent',
      changeWebhook: 'recent',
      rotateWebhookSecret: 'recent',
      createDicomNode: 'recent',
      changeDicomNode: 'recent',
      changeRole: 'recent',
      setLegalHold: 'recent',
      openEmergency: 'recent',
      exportUsers: 'recent',
      exportProfile: 'recent',
      exportAudit: 'recent',
    });
    // So that none that is added later is forgotten.
    const harmless = ['totp.read', 'passkey.list', 'passkey.rename'];
    for (const [name, { action = '', stepUp, path }] of shapes) {
      if (/^(totp|passkey)\./.test(action) && !harmless.includes(action)) expect(stepUp, name).toBe('always');
      if (/export/.test(path) || action === 'user.role' || action === 'token.create')
        expect(stepUp, name).toBeDefined();
    }
  });

  it.each(asking)('is asked by %s, whatever else the session may do', async (name, shape) => {
    const isOpen = roleMay('admin', shape.who as Permission);
    const person = await (isOpen ? buildAdmin : buildProvider)(test.gateway);
    const fresh = await ask(person.token, [name, shape]);
    if (shape.stepUp === 'always') expect(fresh).toBe('STEP_UP_REQUIRED');
    else expect(fresh).not.toBe('STEP_UP_REQUIRED');

    const { token } = await aged(person);
    expect(await ask(token, [name, shape])).toBe('STEP_UP_REQUIRED');
    const [denied] = await test.gateway.models.Event.find({ actor: person._id, reason: 'STEP_UP_REQUIRED' }).lean();
    expect(denied).toMatchObject({ type: shape.action, status: 'denied' });
    for (const field of shape.proof ?? []) {
      const answer = await ask(token, [name, shape], { [field]: field === 'password' ? 'Wrong-Pass-1' : '123456' });
      expect(['VALIDATION_FAILED', 'WRONG_CODE', 'EXPIRED', 'NOT_FOUND'], `${field}: ${answer}`).toContain(answer);
    }
    expect(await ask(token, [name, shape])).toBe('STEP_UP_REQUIRED');
    await api.as(token).post('/auth/step-up', { password: PASSWORD }).expect(200);
    expect(await ask(token, [name, shape])).not.toBe('STEP_UP_REQUIRED');
    test.clock.forward({ minutes: limits.stepUpMinutes });
    expect(await ask((await renewed(person)).token, [name, shape])).toBe('STEP_UP_REQUIRED');
  });

  it('is asked for a change of the settings about who signs in and where a token goes, and of no other', async () => {
    const { gateway } = test;
    const person = await buildAdmin(gateway);
    const at = (page: string) => ({ value: `https://${page}.test/?study={study}#token={token}` });
    const add = (by: { token: string }, name: string, value: string) =>
      api.as(by.token).post('/appsetting/add', { name, value });
    const known = (await add(person, 'viewer.url', at('ohif').value).expect(201)).body.data;
    const note = (await add(person, 'ward.name', 'North').expect(201)).body.data;
    // Stored by an earlier version under its former name.
    const former = newId(test.clock.now());
    await gateway.models.Setting.collection.insertOne({
      _id: former,
      name: 'security.requireTotp',
      value: 'none',
      description: '',
      createAt: test.clock.now(),
      updatedAt: test.clock.now(),
    });

    const later = await aged(person);
    const edit = (id: string, body: object) => api.as(later.token).put(`/appsetting/edit/${id}`, body);
    for (const refused of [
      edit(known.id, at('evil')),
      edit(known.id, { name: 'ward.url' }),
      edit(note.id, { name: 'viewer.url', ...at('evil') }),
      edit(String(former), { value: 'staff' }),
      add(later, 'signIn.local', 'patients'),
      api.as(later.token).del('/appsetting/delete', { id: known.id }),
      api.as(later.token).del('/appsetting/delete', { id: String(former) }),
    ]) {
      expect((await refused.expect(403)).body).toMatchObject({
        error: 'STEP_UP_REQUIRED',
        ways: ['password', 'mailedCode'],
      });
    }
    expect(await gateway.settings.get('viewer.url')).toBe(at('ohif').value);
    await edit(note.id, { value: 'South' }).expect(200);
    await api.as(later.token).del('/appsetting/delete', { id: note.id }).expect(200);
    await add(later, 'clinic.name', 'Clinic').expect(201);

    await api.as(later.token).post('/auth/step-up', { password: PASSWORD }).expect(200);
    await edit(known.id, at('viewer')).expect(200);
    for (const id of [known.id, String(former)]) {
      await api.as(later.token).del('/appsetting/delete', { id }).expect(200);
    }
  });
});

/** The token of a person who was kept alive, but signed in longer ago. */
async function aged(person: Person): Promise<{ token: string }> {
  for (const minutes of [limits.stepUpMinutes - 1, 1]) {
    test.clock.forward({ minutes });
    const { token } = await renewed(person);
    await api.as(token).get('/auth/totp').expect(200);
  }
  return renewed(person);
}

/** Another access token of the same session. */
const renewed = async ({ id, sessionId }: Person) => ({ token: test.gateway.tokens.access(id, String(sessionId)) });
const proofs = (person: Person) =>
  test.gateway.models.Event.find({ actor: person._id, type: 'auth.stepUp' }).sort({ _id: 1 }).lean<EventDoc[]>();
const totp = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: test.clock.now().getTime() });

describe('somebody proves themself', () => {
  it('the password is a proof, and the refusal before it lists all ways', async () => {
    const person = await buildPatient(test.gateway);
    const { body } = await api.as(person).post('/auth/totp', {}).expect(403);
    expect(body).toMatchObject({ error: 'STEP_UP_REQUIRED', ways: ['password', 'mailedCode'] });
    const refused = await api.as(person).post('/auth/step-up', { password: 'Wrong-Pass-1' }).expect(422);
    expect(refused.body.errors).toMatchObject([{ field: 'password' }]);
    await api.as(person).post('/auth/step-up', { password: PASSWORD, code: '123456' }).expect(422);
    await api.as(person).post('/auth/step-up', { password: PASSWORD }).expect(200);
    await api.as(person).post('/auth/totp', {}).expect(200);
    expect((await proofs(person)).map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      'failed VALIDATION_FAILED',
      'success password',
    ]);
    // Of this session alone.
    const other = await signIn(test.gateway, person._id);
    await api.as(other.token).post('/auth/totp', {}).expect(403);
  });

  it('a mailed code is a proof, for an account without app and passkey', async () => {
    const person = await buildPatient(test.gateway);
    await api.as(person).post('/auth/totp', { mailedCode: '123456' }).expect(410);
    await api.as(person).post('/auth/step-up/mail', {}).expect(200);
    const { code } = await mailedCode(test.gateway, person._id, 'stepUp');
    await api
      .as(person)
      .post('/auth/totp', { mailedCode: wrong(code) })
      .expect(422);
    const { secret } = (await api.as(person).post('/auth/totp', { mailedCode: code }).expect(200)).body.data;
    await api.as(person).post('/auth/step-up', { mailedCode: code }).expect(410);
    await api
      .as(person)
      .post('/auth/totp', { code: totp(secret) })
      .expect(200);
    await api.as(person).post('/auth/step-up/mail', {}).expect(409);

    // The app's code counts from now on, each once.
    test.clock.forward({ seconds: limits.totpSeconds });
    const own = api.as((await signIn(test.gateway, person._id)).token);
    expect((await own.del('/auth/totp', {}).expect(403)).body.ways).toEqual(['code', 'password']);
    // Made once: on a busy machine the second one may be of the next time step, and right.
    const spent = totp(secret);
    await own.post('/auth/step-up', { code: spent }).expect(200);
    await own.post('/auth/step-up', { code: spent }).expect(422);
    await own.del('/auth/totp', {}).expect(200);
  });

  it('an own passkey is a proof, for a challenge of the same session', async () => {
    const [person, stranger] = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    const keys = await Promise.all(
      [person, stranger].map(async (one) => {
        const asked = await api.as(one).post('/auth/passkeys/options', { password: PASSWORD }).expect(200);
        const key = new Authenticator(test.config.publicUrl);
        await api
          .as(one)
          .post('/auth/passkeys', { ...key.create(asked.body.data), name: 'Key' })
          .expect(201);
        return key;
      }),
    );
    const [own, theirs] = keys as [Authenticator, Authenticator];
    const session = api.as((await signIn(test.gateway, person._id)).token);
    const other = api.as((await signIn(test.gateway, person._id)).token);
    const question = async (through = session) =>
      (await through.post('/auth/step-up/passkey', {}).expect(200)).body.data;
    const prove = (passkey: object) => session.post('/auth/step-up', { passkey });
    expect((await question()).options).toMatchObject({
      userVerification: 'required',
      allowCredentials: [{ id: own.id }],
    });
    await prove(theirs.get(await question())).expect(401);
    const forSignIn = (await api.post('/auth/passkey/options', {}).expect(200)).body.data;
    await prove(own.get(forSignIn)).expect(410);
    await prove(own.get(await question(other))).expect(410);
    expect((await session.post('/auth/totp', {}).expect(403)).body.ways).toEqual(['passkey', 'password']);
    const answer = own.get(await question());
    await prove(answer).expect(200);
    await prove(answer).expect(410);
    await session.post('/auth/totp', {}).expect(200);
  });
});
