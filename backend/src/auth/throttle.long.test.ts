import { limits } from '@lightbox/contract/limits.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import {
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  mailedCode,
  PASSWORD,
  type Person,
  wrong,
} from '../testing/factories.js';
import { joinGateway, type TestGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';

const { test } = useGateway({ rateLimits: true, trustProxy: 1 });
let other: TestGateway;

beforeAll(async () => {
  other = await joinGateway(test.config);
});
afterAll(() => other.stop());

// Tests at the same time share no account and no address: each call waits for most of its constant time.
it.concurrent('ten wrong passwords block an account for one address, on every gateway, and for no other address', async () => {
  const { email } = await buildPatient(test.gateway);
  const login = (url: string, password: string, address: string) =>
    new Client(url).post('/auth/login', { email, password }).set('X-Forwarded-For', address);
  for (let i = 0; i < throttles.loginPair.points; i++) {
    await login(i % 2 ? test.url : other.url, 'Wrong-Pass-1', '203.0.113.7').expect(401);
  }
  const refused = await login(other.url, PASSWORD, '203.0.113.7').expect(429);
  expect(refused.body.error).toBe('TOO_MANY_REQUESTS');
  expect(Number(refused.get('Retry-After'))).toBeGreaterThan(0);
  await login(test.url, PASSWORD, '203.0.113.8').expect(200);
});

it.concurrent('beyond the limit a right password among concurrent guesses is not checked either', async () => {
  const { email } = await buildPatient(test.gateway);
  const login = (password: string) =>
    new Client(test.url).post('/auth/login', { email, password }).set('X-Forwarded-For', '203.0.113.10');
  const passwords = Array.from({ length: 30 }, (_, i) => (i === 20 ? PASSWORD : 'Wrong-Pass-1'));
  const statuses = (await Promise.all(passwords.map(login))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(throttles.loginPair.points);
  expect(statuses[20]).toBe(429);
});

it.concurrent('the sixth guest link for one email address in an hour is made and not mailed', async () => {
  const image = await buildImage(test.gateway);
  const email = `${newId()}@clinic.test`;
  const mailed: boolean[] = [];
  for (let i = 0; i <= throttles.guestMail.points; i++) {
    const wish = { imagemetadataId: image.id, email };
    mailed.push((await new Client(test.url).as(image.owner).post('/sharing/guest', wish).expect(201)).body.data.mailed);
  }
  expect(mailed).toEqual([true, true, true, true, true, false]);
});

it.concurrent('mails about images to one person are counted together, whichever way they come', async () => {
  const stranger = `${newId()}@clinic.test`;
  const patient = await buildPatient(test.gateway);
  for (const email of [patient.email, stranger]) {
    const owner = await buildProvider(test.gateway);
    const api = new Client(test.url).as(owner);
    const image = await buildImage(test.gateway, { owner });
    const guest = async (): Promise<boolean> =>
      (await api.post('/sharing/guest', { imagemetadataId: image.id, email }).expect(201)).body.data.mailed;
    const request = async (): Promise<boolean> =>
      (await api.post('/requests', { kind: 'file', email }).expect(201)).body.data.mailed;
    const mailed: boolean[] = [];
    for (let i = 0; i < throttles.guestMail.points; i++) mailed.push(await guest());
    for (let i = 0; i < throttles.requestMail.points; i++) mailed.push(await request());
    expect(mailed).toEqual(Array(throttles.shareMail.points).fill(true));
    // A provider does not find an unknown address in the directory, and invites it.
    const { body } = await api.post('/sharing/batch', { images: [image.id], emails: [email] }).expect(201);
    const [made] = [...body.data.shares, ...body.data.invited];
    const type = { $in: ['share.create', 'invite.created'] as EventDoc['type'][] };
    const event = await test.gateway.models.Event.findOne({ type, actor: owner._id }).lean<EventDoc>();
    expect(made, email).toBeDefined();
    expect(event?.refs.mailed, email).toBeUndefined();
  }
});

it.concurrent('mails about images to an address are counted on when it gets an account', async () => {
  const owner = await buildProvider(test.gateway);
  const api = new Client(test.url).as(owner);
  const image = await buildImage(test.gateway, { owner });
  const request = async (email: string): Promise<boolean> =>
    (await api.post('/requests', { kind: 'file', email }).expect(201)).body.data.mailed;
  for (const registers of [true, false]) {
    const email = `${newId()}@clinic.test`;
    for (let i = 0; i < throttles.guestMail.points; i++) {
      await api.post('/sharing/guest', { imagemetadataId: image.id, email }).expect(201);
    }
    const { body } = await api.post('/sharing/batch', { images: [image.id], emails: [email] }).expect(201);
    const [invited] = body.data.invited;
    const resend = () => api.post(`/sharing/invitations/${invited.id}/resend`, {});
    await resend().expect(200);
    await resend().expect(200);
    const person = registers ? await buildPatient(test.gateway, { email }) : null;
    expect([await request(email), await request(email), await request(email)], email).toEqual([true, true, false]);
    await resend().expect(429);
    if (!person) continue;
    const other = await buildImage(test.gateway, { owner });
    await api.post('/sharing/request', { imagemetadataId: other.id, createdfor: person.id }).expect(201);
    const event = await test.gateway.models.Event.findOne({ type: 'share.create', record: other._id }).lean<EventDoc>();
    expect(event).not.toBeNull();
    expect(event?.refs.mailed).toBeUndefined();
  }
});

it.concurrent('a sender without an account removes what arrived sixty times an hour', async () => {
  const asker = await buildProvider(test.gateway);
  const { body } = await new Client(test.url).as(asker).post('/requests', { kind: 'folder' }).expect(201);
  const sender = new Client(test.url).as(test.gateway.tokens.sender(body.data.id, String(newId())));
  await sender.del('/send/files').expect(200);
  for (let i = 1; i < throttles.sending.points; i++) {
    await test.gateway.throttle.count('sending', { caller: body.data.id });
  }
  await sender.del('/send/files').expect(429);
});

it.concurrent('a guest link to a person who got ten mails about shares is made and not mailed', async () => {
  const { email } = await buildPatient(test.gateway);
  const image = await buildImage(test.gateway);
  for (let i = 0; i < throttles.shareMail.points; i++) {
    await test.gateway.throttle.count('shareMail', { email });
  }
  const wish = { imagemetadataId: image.id, email };
  const { body } = await new Client(test.url).as(image.owner).post('/sharing/guest', wish).expect(201);
  expect(body.data.mailed).toBe(false);
});

it.concurrent('right passwords are not counted', async () => {
  const { email } = await buildProvider(test.gateway, { status: 'pending' });
  const login = () => new Client(test.url).post('/auth/login', { email, password: PASSWORD });
  for (let i = 0; i <= throttles.loginPair.points; i++) await login().expect(403);
});

it.concurrent('reset mails are three an hour, whether or not there is an account', async () => {
  const { email } = await buildPatient(test.gateway);
  for (const address of [email, 'nobody@hospital.test']) {
    const forgot = () => new Client(test.url).post('/auth/forgot-password', { email: address });
    for (let i = 0; i < throttles.resetPair.points; i++) await forgot().expect(200);
    await forgot().expect(429);
  }
});

it.concurrent('sign-in codes are ten an hour', async () => {
  const { email } = await buildPatient(test.gateway);
  const login = () => new Client(test.url).post('/auth/login', { email, password: PASSWORD });
  const { body } = await login().expect(200);
  const resend = () => new Client(test.url).as(body.data.token).post('/auth/resend-code', {});
  for (let i = 1; i < throttles.verificationMail.points; i++) await resend().expect(200);
  await resend().expect(429);
  await login().expect(429);
});

it.concurrent('codes of an authenticator app are throttled across sign-ins, and the owner is mailed once about twenty wrong ones in a row', async () => {
  const { throttle, models } = test.gateway;
  const person = await buildPatient(test.gateway);
  const client = new Client(test.url);
  const { body } = await client.as(person).post('/auth/totp', { password: PASSWORD }).expect(200);
  const app = new TOTP({ secret: Secret.fromBase32(body.data.secret) });
  const shown = (steps = 0) =>
    app.generate({ timestamp: test.clock.now().getTime() + steps * limits.totpSeconds * 1000 });
  const guess = () => wrong(shown());
  await client.as(person).post('/auth/totp', { code: shown() }).expect(200);
  const password = async (): Promise<string> =>
    (await client.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200)).body.data.token;
  const confirm = (token: string, code: string) => client.as(token).post('/auth/confirm', { code });
  const alarms = async () =>
    (await models.Event.find({ type: 'auth.codesGuessed', record: person._id }).lean()).map(({ status }) => status);
  const perSignIn = limits.codeTries - 1;
  for (let i = 0; i < throttles.secondFactor.points / perSignIn; i++) {
    const token = await password();
    for (let n = 0; n < perSignIn; n++) {
      expect(await alarms()).toEqual([]);
      await confirm(token, guess()).expect(422);
    }
  }
  expect(await alarms()).toEqual(['success']);
  const answer = await confirm(await password(), shown(1)).expect(429);
  expect(Number(answer.get('Retry-After'))).toBeGreaterThan(0);

  // An hour later: no further mail, until a right code has ended the row.
  const next = async (code: () => string, status: number) => {
    await throttle.reset('secondFactor', { caller: person.id });
    await confirm(await password(), code()).expect(status);
  };
  await next(guess, 422);
  await next(() => shown(1), 200);
  await next(guess, 422);
  expect(await alarms()).toHaveLength(1);
  expect(await throttle.count('wrongCodes', { caller: person.id })).toBe(2);
});

it.concurrent('wrong mailed codes are counted across sign-ins too, and the owner is mailed once about twenty in a row', async () => {
  const { throttle, models } = test.gateway;
  const person = await buildPatient(test.gateway);
  const client = new Client(test.url);
  const password = async (): Promise<string> =>
    (await client.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200)).body.data.token;
  const confirm = (token: string, code: string) => client.as(token).post('/auth/confirm', { code });
  const mailed = async () => (await mailedCode(test.gateway, person._id)).code;
  const alarms = async () =>
    (await models.Event.find({ type: 'auth.codesGuessed', record: person._id }).lean()).map(({ status }) => status);
  for (let i = 0; i < throttles.wrongCodes.points / limits.codeTries; i++) {
    const token = await password();
    const code = await mailed();
    for (let n = 0; n < limits.codeTries; n++) {
      expect(await alarms()).toEqual([]);
      await confirm(token, wrong(code)).expect(422);
    }
    // A locked code is compared no more, and counts no more.
    await confirm(token, wrong(code)).expect(423);
  }
  expect(await alarms()).toEqual(['success']);
  const next = await password();
  await confirm(next, wrong(await mailed())).expect(422);
  await confirm(next, await mailed()).expect(200);
  await confirm(await password(), wrong(await mailed())).expect(422);
  expect(await alarms()).toHaveLength(1);
  expect(await throttle.count('wrongCodes', { caller: person.id })).toBe(2);
});

it.concurrent('an invited address gets few mails, and a caller invites few addresses in an hour', async () => {
  const owner = await buildProvider(test.gateway);
  const { id } = await buildImage(test.gateway, { owner });
  const api = new Client(test.url).as(owner);
  const invite = (count: number) =>
    api.post('/sharing/batch', { images: [id], emails: Array.from({ length: count }, () => `${newId()}@clinic.test`) });
  const { body } = await invite(1).expect(201);
  const resend = () => api.post(`/sharing/invitations/${body.data.invited[0].id}/resend`, {});
  for (let sent = 1; sent < throttles.inviteMail.points; sent++) await resend().expect(200);
  await resend().expect(429);
  await invite(limits.batchItems).expect(201);
  await invite(limits.batchItems).expect(201);
  await invite(limits.batchItems).expect(429);
});

it.concurrent('messages are a hundred a minute', async () => {
  const [from, to] = [await buildPatient(test.gateway), await buildProvider(test.gateway)];
  const api = new Client(test.url).as(from);
  const send = () => api.post('/message/send', { recipientId: to.id, content: 'Hello' });
  const answers = await Promise.all(Array.from({ length: throttles.message.points + 5 }, send));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(throttles.message.points);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
});

it.concurrent('ten registrations an hour come from one address', async () => {
  const register = () =>
    new Client(test.url).post('/auth/register', { email: 'x' }).set('X-Forwarded-For', '203.0.113.9');
  await register().expect(422);
  const full = (i: number) => ({
    email: `many${i}@hospital.test`,
    username: `many${i}`,
    password: PASSWORD,
    role: 'healthProvider',
    firstname: 'Ada',
    lastname: 'Many',
  });
  const statuses: number[] = [];
  for (let i = 0; i <= throttles.registration.points; i++) {
    const { status } = await new Client(test.url).post('/auth/register', full(i)).set('X-Forwarded-For', '203.0.113.9');
    statuses.push(status);
  }
  expect(statuses.slice(-2)).toEqual([201, 429]);
});

const guess = (email: string, password: string, address: string) =>
  new Client(test.url).post('/auth/login', { email, password }).set('X-Forwarded-For', address);

it.concurrent.each([
  ['of one IPv6 network', (i: number) => `2001:db8:7:7::${i + 1}`, '2001:db8:7:8::1'],
  ['written as IPv6', (i: number) => (i % 2 ? '203.0.113.33' : '::ffff:203.0.113.33'), '203.0.113.34'],
])('addresses %s count as one', async (_, address, elsewhere) => {
  const { email } = await buildPatient(test.gateway);
  for (let i = 0; i < throttles.loginPair.points; i++) await guess(email, 'Wrong-Pass-1', address(i)).expect(401);
  await guess(email, PASSWORD, address(99)).expect(429);
  await guess(email, PASSWORD, elsewhere).expect(200);
});

it('after twenty wrong passwords each further try waits, the owner is mailed once, and is not locked out', async () => {
  const { email, id } = await buildPatient(test.gateway);
  const far = (i: number) => `2001:db8:8:${i.toString(16)}::1`;
  const alarms = async () =>
    (await test.gateway.models.Event.find({ type: 'auth.guesses' }).lean<EventDoc[]>()).filter(
      ({ record }) => String(record) === id,
    );
  const first = Array.from({ length: throttles.loginFailures.points }, (_, i) => guess(email, 'Wrong-Pass-1', far(i)));
  for (const { status } of await Promise.all(first)) expect([401, 429]).toContain(status);
  // Of many at once one may have waited already.
  let tries = 100;
  await expect.poll(async () => (await guess(email, 'Wrong-Pass-1', far(tries++))).status).toBe(401);
  // The account signed in from here before; a wrong password is told from a right one by nobody else.
  const home = (password: string) => guess(email, password, '127.0.0.1');
  // At once: the next try waits for a few seconds only.
  const [refused, wrong] = await Promise.all([guess(email, PASSWORD, far(99)), home('Wrong-Pass-1')]);
  expect([refused.status, wrong.status, wrong.body.error]).toEqual([429, 429, 'TOO_MANY_REQUESTS']);
  const wait = Number(refused.get('Retry-After'));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(8);
  expect(await alarms()).toHaveLength(1);
  await home(PASSWORD).expect(200);
  // The count begins anew with the right password.
  await guess(email, 'Wrong-Pass-1', far(97)).expect(401);
  await guess(email, 'Wrong-Pass-1', far(96)).expect(401);
  expect(await alarms()).toHaveLength(1);
});

it.concurrent('a person who has just reset the password can sign in from the same address', async () => {
  const { email, _id } = await buildPatient(test.gateway);
  const here = '203.0.113.77';
  for (let i = 0; i < 30; i++) await test.gateway.throttle.count('loginFailures', { email });
  await test.gateway.throttle.wait('loginFailures', { email }, 60);
  await guess(email, PASSWORD, here).expect(429);
  const api = new Client(test.url);
  await api.post('/auth/forgot-password', { email }).set('X-Forwarded-For', here).expect(200);
  const { code } = await mailedCode(test.gateway, _id, 'reset');
  const fresh = 'Meadow-Copper-19';
  await api
    .post('/auth/reset-password', { email, otp: code, newPassword: fresh })
    .set('X-Forwarded-For', here)
    .expect(200);
  await guess(email, fresh, '203.0.113.78').expect(429);
  await guess(email, fresh, here).expect(200);
});

it.concurrent('requests and guesses of an attacker do not block the owner’s reset', async () => {
  const { email, _id } = await buildPatient(test.gateway);
  const api = new Client(test.url);
  const forgot = (address: string) =>
    api.post('/auth/forgot-password', { email }).set('X-Forwarded-For', address).expect(200);
  const reset = (otp: string, address: string) =>
    api.post('/auth/reset-password', { email, otp, newPassword: 'Meadow-Copper-19' }).set('X-Forwarded-For', address);
  await forgot('203.0.113.81');
  await forgot('203.0.113.82');
  const { code, _id: newest } = await mailedCode(test.gateway, _id, 'reset');
  // Beyond the mails of ten minutes the newest one stands.
  await forgot('203.0.113.83');
  expect((await mailedCode(test.gateway, _id, 'reset'))._id).toEqual(newest);
  for (let i = 0; i < 5; i++) await reset(wrong(code), `203.0.113.${90 + i}`).expect(422);
  await reset(code, '203.0.113.95').expect(423);
  await reset(code, '203.0.113.82').expect(200);
});

it.concurrent('resets and guesses at their codes are thirty in a quarter of an hour from one address', async () => {
  const address = '203.0.113.120';
  const api = new Client(test.url);
  const statuses = await Promise.all(
    Array.from({ length: throttles.reset.points + 2 }, (_, i) => {
      const email = `spread${i}@hospital.test`;
      const call = i % 2 ? '/auth/forgot-password' : '/auth/reset-password';
      const body = i % 2 ? { email } : { email, otp: '000000', newPassword: 'Meadow-Copper-19' };
      return api.post(call, body).set('X-Forwarded-For', address);
    }),
  );
  expect(statuses.filter(({ status }) => status === 429)).toHaveLength(2);
});

it.concurrent('of shares with one person ten an hour are mailed, and the rest wait in the app', async () => {
  const [owner, recipient] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
  const api = new Client(test.url).as(owner);
  const ids: string[] = [];
  for (let i = 0; i < throttles.shareMail.points + 2; i++) {
    const image = await buildImage(test.gateway, { owner });
    const body = { imagemetadataId: image.id, createdfor: recipient.id };
    ids.push((await api.post('/sharing/request', body).expect(201)).body.data.id);
  }
  const events = await test.gateway.models.Event.find({ type: 'share.create', recipients: recipient._id })
    .sort({ _id: 1 })
    .lean<EventDoc[]>();
  expect(events.map(({ refs }) => String(refs.share))).toEqual(ids);
  expect(events.map(({ refs }) => refs.mailed !== undefined)).toEqual(
    ids.map((_, i) => i < throttles.shareMail.points),
  );
  await api.post(`/sharing/${ids.at(-1)}/resend`, {}).expect(429);
});

it.concurrent('a recipient gets a new code once a minute and five times a day, beside those of the owner', async () => {
  const [share, other] = [await buildShare(test.gateway), await buildShare(test.gateway)];
  const resend = (by: Person, id = share.id) => new Client(test.url).as(by).post(`/sharing/${id}/resend`, {});
  await resend(share.recipient).expect(200);
  const refused = await resend(share.recipient).expect(429);
  expect(Number(refused.get('Retry-After'))).toBeLessThanOrEqual(60);
  await resend(share.image.owner).expect(200);
  await resend(other.recipient, other.id).expect(200);
  const subject = { caller: share.recipient.id, share: share.id };
  for (let i = 1; i < throttles.shareCodes.points; i++) {
    await test.gateway.throttle.reset('shareCodeWait', subject);
    await resend(share.recipient).expect(200);
  }
  await test.gateway.throttle.reset('shareCodeWait', subject);
  const last = await resend(share.recipient).expect(429);
  expect(Number(last.get('Retry-After'))).toBeGreaterThan(60);
});

it.concurrent('after ten wrong codes in a day the answer says no more to which share a code belongs', async () => {
  const recipient = await buildPatient(test.gateway);
  const [one, other] = [await buildShare(test.gateway, { recipient }), await buildShare(test.gateway, { recipient })];
  const tryIt = async () => {
    const body = { sharingRequestId: one.id, verificationCode: other.code };
    return (await new Client(test.url).as(recipient).post('/sharing/verify', body).expect(422)).body;
  };
  expect(await tryIt()).toMatchObject({ belongsTo: other.id });
  for (let i = 1; i < throttles.otherShares.points; i++) {
    await test.gateway.throttle.count('otherShares', { caller: recipient.id });
  }
  expect((await tryIt()).belongsTo).toBeUndefined();
});
