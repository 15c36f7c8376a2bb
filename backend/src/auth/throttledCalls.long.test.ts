import { calls } from '@lightbox/contract/calls.js';
import { type ThrottleName, throttles } from '@lightbox/contract/throttles.js';
import { newId } from '@lightbox/core/db/ids.js';
import { phantom } from '@lightbox/testkit/part10.js';
import type { Test } from 'supertest';
import { afterAll, describe, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import type { Subject } from '../http/throttle.js';
import { Authenticator } from '../testing/authenticator.js';
import { Client } from '../testing/client.js';
import { dicomWebOf, fresh, uidOf } from '../testing/dicomWeb.js';
import { buildImage, buildProvider, buildShare, PASSWORD, type Person } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api: anybody } = useGateway({ rateLimits: true, trustProxy: 1 });
const { storeFiles } = dicomWebOf({ test, api: anybody });

afterAll(closeInspectors);

/** Calls that count by themselves, each with what it counts and a request that is refused when that is used up. */
interface Counted {
  person: Person;
  api: Client;
}
const bare = () => new Client(test.url);
const login = (email: string, address: string) =>
  bare().post('/auth/login', { email, password: PASSWORD }).set('X-Forwarded-For', address);
/** A recipient who asks for a new code. */
async function asksAgain({ api, person }: Counted) {
  const { id } = await buildShare(test.gateway, { recipient: person });
  return { by: { caller: person.id, share: id }, send: () => api.post(`/sharing/${id}/resend`, {}) };
}
async function speaks({ api, person }: Counted) {
  const parts = [{ name: 'recipientId', value: (await buildProvider(test.gateway)).id }];
  return { by: { caller: person.id }, send: () => api.form({ path: '/message/voice', parts }) };
}
/** Returns a call for a picture of a DICOMweb instance. */
const rendersInstance =
  (suffix: string) =>
  async ({ api, person }: Counted) => {
    const study = fresh();
    expect((await storeFiles(person.token, [phantom({ study })])).status).toBe(200);
    const uid = uidOf(study);
    const path = `/dicom-web/studies/${uid}/series/${uid}.1/instances/${uid}.1.1${suffix}`;
    return { by: { caller: person.id }, send: () => api.get(path) };
  };
const stores =
  (path: string) =>
  async ({ api, person }: Counted) => ({
    by: { device: String(person.sessionId) },
    send: () =>
      api.post(path).set('Content-Type', 'multipart/related; type="application/dicom"; boundary=x').send('--x--'),
  });
const countedCalls: Record<string, (counted: Counted) => Promise<{ by: Subject; send: () => Test }>> = {
  'login loginPair': async ({ person: { email } }) => ({
    by: { email, address: '203.0.113.140' },
    send: () => login(email, '203.0.113.140'),
  }),
  'login loginAddress': async ({ person: { email } }) => ({
    by: { address: '203.0.113.141' },
    send: () => login(email, '203.0.113.141'),
  }),
  'login loginTries': async ({ person: { email } }) => ({
    by: { email },
    send: () => login(email, '203.0.113.142'),
  }),
  'login verificationMail': async ({ person: { email, id } }) => ({
    by: { caller: id },
    send: () => login(email, '203.0.113.143'),
  }),
  'confirm secondFactor': async ({ person: { _id, id } }) => {
    const code = { _id: newId(), user: _id, purpose: 'totp', keyId: 'x', salt: 'x', tries: 0, createAt: new Date() };
    const expiresAt = new Date(Date.now() + 600_000);
    await test.gateway.models.Code.collection.insertOne({ ...code, expiresAt } as never);
    const token = test.gateway.tokens.verification(id, String(code._id));
    return { by: { caller: id }, send: () => bare().as(token).post('/auth/confirm', { code: '000000' }) };
  },
  'resendCode verificationMail': async ({ person: { id } }) => {
    const token = test.gateway.tokens.verification(id, String(newId()));
    return { by: { caller: id }, send: () => bare().as(token).post('/auth/resend-code', {}) };
  },
  'resetPassword resetCode': async ({ person: { email } }) => ({
    by: { email },
    send: () => bare().post('/auth/reset-password', { email, otp: '000000', newPassword: 'Meadow-Copper-19' }),
  }),
  'changePassword ownPassword': async ({ api, person: { id } }) => ({
    by: { caller: id },
    send: () => api.put('/auth/password', { currentPassword: PASSWORD, newPassword: 'Meadow-Copper-19' }),
  }),
  'deleteProfile ownPassword': async ({ api, person: { id } }) => ({
    by: { caller: id },
    send: () => api.del('/users/profile', { password: PASSWORD }),
  }),
  'mailStepUpCode verificationMail': async ({ api, person: { id } }) => ({
    by: { caller: id },
    send: () => api.post('/auth/step-up/mail', {}),
  }),
  'passkeySignIn loginAddress': async () => {
    const answer = new Authenticator('x').get({ ceremony: 'x', options: { challenge: 'x' } });
    const send = () => bare().post('/auth/passkey', answer).set('X-Forwarded-For', '203.0.113.144');
    return { by: { address: '203.0.113.144' }, send };
  },
  'updateProfile username': async ({ api, person: { id } }) => ({
    by: { caller: id },
    send: () => api.put('/users/profile', { username: `other.${id}` }),
  }),
  'getAnalysis analysis': async ({ api, person }) => {
    const image = await buildImage(test.gateway, { owner: person });
    return { by: { caller: person.id }, send: () => api.get(`/analyze/${image.id}`) };
  },
  'getFrame rendering': async ({ api, person }) => {
    const image = await buildImage(test.gateway, { owner: person });
    return { by: { caller: person.id }, send: () => api.get(`/upload/image/${image.id}/frames/1?rendered=true`) };
  },
  'storeInstances deviceStudies': stores('/dicom-web/studies'),
  'storeInstancesOfStudy deviceStudies': stores(`/dicom-web/studies/${uidOf('7')}`),
  'renderInstance rendering': rendersInstance('/rendered'),
  'renderFrames rendering': rendersInstance('/frames/1/rendered'),
  'startAnalysis analysis': async ({ api, person }) => {
    const image = await buildImage(test.gateway, { owner: person });
    return { by: { caller: person.id }, send: () => api.post(`/analyze/${image.id}`, {}) };
  },
  'getAnalysisReport report': async ({ api, person }) => {
    const { _id, id } = await buildImage(test.gateway, { owner: person });
    const run = { run: 1, progress: 100, requestedBy: person._id, startedAt: new Date(), status: 'completed' as const };
    await test.gateway.models.Analysis.create([{ _id, ...run, version: 1, review: { state: 'draft' as const } }]);
    return { by: { caller: person.id }, send: () => api.get(`/analyze/${id}/report`) };
  },
  'shareBatch invite': async ({ api, person }) => {
    const image = await buildImage(test.gateway, { owner: person });
    const body = { images: [image.id], emails: [`${newId()}@clinic.test`] };
    return { by: { caller: person.id }, send: () => api.post('/sharing/batch', body) };
  },
  'resendShare shareCodeWait': asksAgain,
  'resendShare shareCodes': asksAgain,
  'sendMessage message': async ({ api, person: { id } }) => {
    const body = { recipientId: (await buildProvider(test.gateway)).id, content: 'Hello' };
    return { by: { caller: id }, send: () => api.post('/message/send', body) };
  },
  'sendMessage attachedShare': async ({ api, person }) => {
    const image = await buildImage(test.gateway, { owner: person });
    const body = { recipientId: (await buildProvider(test.gateway)).id, images: [image.id] };
    return { by: { caller: person.id }, send: () => api.post('/message/send', body) };
  },
  'sendVoice message': speaks,
};

/** A proof is limited alike wherever it is given. */
const provenCalls: [call: string, method: string, path: string, ...proofs: ('password' | 'code')[]][] = [
  ['setUpTotp', 'post', '/auth/totp', 'password'],
  ['removeTotp', 'delete', '/auth/totp', 'password', 'code'],
  ['renewRecoveryCodes', 'post', '/auth/totp/recovery-codes', 'password', 'code'],
  ['stepUp', 'post', '/auth/step-up', 'password', 'code'],
  ['askNewPasskey', 'post', '/auth/passkeys/options', 'password'],
  ['removePasskey', 'delete', `/auth/passkeys/${newId()}`, 'password', 'code'],
];
for (const [call, method, path, ...proofs] of provenCalls) {
  for (const proof of proofs) {
    const name = `${call} ${proof === 'password' ? 'ownPassword' : 'secondFactor'}`;
    const body = proof === 'password' ? { password: PASSWORD } : { code: '000000' };
    countedCalls[name] = async ({ api, person: { id } }) => ({
      by: { caller: id },
      send: () => api.call(method, path, body),
    });
  }
}

describe('a limit that is used up refuses the call that names it:', () => {
  it.concurrent.each(Object.entries(countedCalls))('%s', async (name, build) => {
    const person = await buildProvider(test.gateway);
    const { by, send } = await build({ person, api: new Client(test.url).as(person) });
    const throttle = name.split(' ')[1] as ThrottleName;
    for (let i = 0; i < throttles[throttle].points; i++) await test.gateway.throttle.count(throttle, by);
    const refused = await send().expect(429);
    expect(Number(refused.get('Retry-After'))).toBeGreaterThan(0);
  });

  it('every counted call has a row in this table', () => {
    // In the tests that have a push service and a provider: `push/push.test.ts`, `signOn/signOn.test.ts`.
    const elsewhere = ['subscribePush pushSubscription', 'finishSignOn verificationMail'];
    const named = Object.entries(calls).flatMap(([call, shape]) =>
      (('throttles' in shape ? shape.throttles : []) as ThrottleName[])
        .filter((name) => throttles[name].counts !== 'calls' && throttles[name].beyond === 'refused')
        .map((name) => `${call} ${name}`),
    );
    expect(named.filter((name) => !elsewhere.includes(name)).sort()).toEqual(Object.keys(countedCalls).sort());
  });
});
