import type { EventDoc } from '@lightbox/core/models/event.js';
import { afterEach, expect, it } from 'vitest';
import { Authenticator } from '../testing/authenticator.js';
import {
  buildAdmin,
  buildPatient,
  buildProvider,
  mailedCode,
  PASSWORD,
  type Person,
  signIn,
} from '../testing/factories.js';
import { makeScimToken, scim } from '../testing/scim.js';
import { useSignOn } from '../testing/useSignOn.js';

const { test, api, provider, clinic, admin, signOn, person, userOf } = useSignOn();

afterEach(async () => {
  await test.gateway.models.Setting.deleteMany({});
  test.gateway.settings.forget();
});

const asAdmin = async (who: Person = admin) => api.as((await signIn(test.gateway, who._id)).token);
const set = async (name: string, value: string) =>
  (await asAdmin()).post('/appsetting/add', { name, value, description: '' });
const tryPassword = (email: string) => api.post('/auth/login', { email, password: PASSWORD });

/** Switches the own sign-in off, with this person as the only break-glass administrator. */
async function switchOff(breakGlass: { email: string }) {
  await set('signIn.breakGlass', ` ${breakGlass.email.toUpperCase()}, nobody@clinic.test `);
  expect((await set('signIn.local', 'none')).status).toBe(201);
}

it('Only break-glass administrators and, if wanted, patients get in, and the other administrators are told.', async () => {
  const breakGlass = await buildAdmin(test.gateway);
  const [doctor, patient] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
  expect((await set('signIn.local', 'patients')).status).toBe(422);
  expect((await set('signIn.breakGlass', breakGlass.email)).status).toBe(201);
  expect((await set('signIn.local', 'patients')).status).toBe(201);
  expect((await tryPassword(doctor.email)).body.error).toBe('LOCAL_SIGN_IN_OFF');
  expect((await tryPassword(admin.email)).body.error).toBe('LOCAL_SIGN_IN_OFF');
  await tryPassword(patient.email).expect(200);
  const { token } = (await tryPassword(breakGlass.email).expect(200)).body.data;
  const { code } = await mailedCode(test.gateway, breakGlass._id);
  await api.as(token).post('/auth/confirm', { code }).expect(200);
  const event = await test.gateway.models.Event.findOne({ type: 'auth.breakGlassUsed' }).lean<EventDoc>();
  expect(event?.actor).toEqual(breakGlass._id);
  expect(event?.recipients.map(String)).toContain(admin.id);
  expect((await signOn(person().sub)).body.data.token).toBeTruthy();
});

it('It is not switched off for the sake of an administrator who cannot sign in.', async () => {
  for (const changes of [{ active: false }, { status: 'rejected' as const }]) {
    const gone = await buildAdmin(test.gateway, changes);
    await set('signIn.breakGlass', gone.email);
    expect((await set('signIn.local', 'none')).status).toBe(422);
    await test.gateway.models.Setting.deleteMany({});
  }
  await set('signIn.breakGlass', (await buildProvider(test.gateway)).email);
  expect((await set('signIn.local', 'none')).status).toBe(422);
});

/** Each way in which an administrator may end. */
const ends: Record<string, (who: Person, sub: string) => Promise<{ status: number; body: { error?: string } }>> = {
  'a deactivation': async (who) => (await asAdmin()).put(`/users/toggleUserStatus/${who.id}`),
  'another role': async (who) => (await asAdmin()).put(`/users/role/${who.id}`, { role: 'healthProvider' }),
  'another role, by oneself': async (who) => (await asAdmin(who)).put(`/users/role/${who.id}`, { role: 'patient' }),
  'the end of the account': async (who) => (await asAdmin()).del(`/users/${who.id}`),
  'the end of the own account': async (who) => (await asAdmin(who)).del('/users/profile', { password: PASSWORD }),
  'a sign-in with another role': async (_, sub) => signOn(sub),
  'SCIM, active false': (who) =>
    byScim('PATCH', who, { Operations: [{ op: 'replace', path: 'active', value: false }] }),
  'SCIM, a whole account': (who) => byScim('PUT', who, { userName: who.email, active: false }),
  'SCIM, a removal': (who) => byScim('DELETE', who),
};

async function byScim(method: string, who: Person, body?: object) {
  const { token } = await makeScimToken(test, admin);
  const answer = await scim(test, token, method, `/scim/v2/Users/${who.id}`, body);
  return { status: answer.status, body: (await answer.json().catch(() => ({}))) as { error?: string } };
}

/** An administrator who is linked with a person of the clinic. The clinic does not name them an administrator any more. */
async function linkedAdmin() {
  const { sub, email } = person({ groups: ['chiefs'] });
  const who = await buildAdmin(test.gateway, { email });
  provider.linkByEmail = true;
  expect((await signOn(sub)).body.data.user.id).toBe(who.id);
  clinic.people.set(sub, { email, email_verified: true, amr: ['mfa'], groups: [] });
  return { who, sub };
}

it.each(Object.entries(ends))('The last break-glass administrator stays: %s', async (_, end) => {
  const { who, sub } = await linkedAdmin();
  await switchOff(who);
  const refused = await end(who, sub);
  expect([refused.status, refused.body.error]).toEqual([409, 'LAST_BREAK_GLASS']);
  expect(await userOf(who.email)).toMatchObject({ role: 'admin', active: true });
  // A second one who cannot sign in does not count, and one who can does.
  const second = await buildAdmin(test.gateway, { active: false });
  await test.gateway.models.Setting.updateOne({ name: 'signIn.breakGlass' }, { value: `${who.email} ${second.email}` });
  expect((await end(who, sub)).body.error).toBe('LAST_BREAK_GLASS');
  await test.gateway.models.User.updateOne({ _id: second._id }, { $set: { active: true } });
  expect((await end(who, sub)).status).toBeLessThan(300);
});

it('Another administrator may end meanwhile, and of two who end each other at once one stays.', async () => {
  const [first, second, other] = [
    await buildAdmin(test.gateway),
    await buildAdmin(test.gateway),
    await buildAdmin(test.gateway),
  ];
  await switchOff({ email: `${first.email} ${second.email}` });
  const demote = async (by: Person, who: Person) =>
    (await asAdmin(by)).put(`/users/role/${who.id}`, { role: 'patient' });
  expect((await demote(admin, other)).status).toBe(200);
  const answers = await Promise.all([demote(admin, first), demote(admin, second)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

it('Its settings cannot be taken from the last one while it is off.', async () => {
  const breakGlass = await buildAdmin(test.gateway);
  await switchOff(breakGlass);
  const session = await asAdmin();
  const stored = await test.gateway.models.Setting.findOne({ name: 'signIn.breakGlass' }).lean();
  const id = String(stored?._id);
  expect((await session.put(`/appsetting/edit/${id}`, { value: '' })).status).toBe(422);
  expect((await session.del('/appsetting/delete', { id })).status).toBe(422);
});

it('A passkey is the second factor after the provider, one’s own and once, also while the own sign-in is off.', async () => {
  const { sub, email } = person({ amr: ['pwd'] });
  const withPasskey = async (who: Person) => {
    const key = new Authenticator(test.config.publicUrl);
    const asked = await api.as(who).post('/auth/passkeys/options', { password: PASSWORD }).expect(200);
    await api
      .as(who)
      .post('/auth/passkeys', { ...key.create(asked.body.data), name: 'Desk' })
      .expect(201);
    return key;
  };
  const patient = await buildPatient(test.gateway, { email });
  const [key, stranger] = [await withPasskey(patient), await withPasskey(await buildPatient(test.gateway))];
  await switchOff(await buildAdmin(test.gateway));
  provider.linkByEmail = true;
  const { data } = (await signOn(sub)).body;
  expect(data).toMatchObject({ method: 'passkey' });
  await api.as(data.token).get('/users/profile').expect(401);
  const question = async () => (await api.post('/auth/passkey/options', {}).expect(200)).body.data;
  expect((await api.post('/auth/passkey', key.get(await question()))).body.error).toBe('LOCAL_SIGN_IN_OFF');
  const confirm = (token: string, passkey: object) => api.as(token).post('/auth/confirm', { passkey });
  expect((await confirm(data.token, stranger.get(await question()))).status).toBe(401);
  const answer = key.get(await question());
  const opened = (await confirm(data.token, answer).expect(200)).body.data;
  await api.as(opened.token).get('/users/profile').expect(200);
  const again = (await signOn(sub)).body.data;
  for (const token of [data.token, again.token]) expect((await confirm(token, answer)).status).not.toBe(200);
  const last = await test.gateway.models.Event.find({
    type: 'auth.confirm',
    actor: patient._id,
    status: 'success',
  }).lean<EventDoc[]>();
  expect(last.map(({ reason }) => reason)).toEqual(['signOn:clinic passkey']);
});
