import { throttles } from '@lightbox/contract/throttles.js';
import { type SignOnProvider, signOnProvidersOf } from '@lightbox/core/config/singleSignOn.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { IdentityDoc } from '@lightbox/core/models/identity.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { type OidcProvider, oidcClient, startOidcProvider } from '@lightbox/testkit/oidcProvider.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Client, connectSocket } from '../testing/client.js';
import { buildAdmin, buildPatient, buildProvider, mailedCode, type Person, signIn } from '../testing/factories.js';
import { buildGateway, joinGateway, type TestGateway } from '../testing/gateway.js';

let test: TestGateway;
let api: Client;
let clinic: OidcProvider;
let provider: SignOnProvider;
let admin: Person;

const backChannel = '/auth/sign-on/clinic/back-channel-logout';
const redirect = () => `${test.config.publicUrl}/sign-on/clinic`;

beforeAll(async () => {
  clinic = await startOidcProvider();
  const signOn = signOnProvidersOf(
    JSON.stringify([
      {
        id: 'clinic',
        name: 'Clinic account',
        issuer: clinic.issuer,
        clientId: oidcClient.id,
        clientSecret: oidcClient.secret,
        roleClaim: 'groups',
        roles: { doctors: 'healthProvider', chiefs: 'admin' },
        defaultRole: 'patient',
        allowAdmin: true,
        secondFactor: { amr: ['mfa'] },
      },
      { id: 'away', name: 'Away', issuer: 'http://127.0.0.1:9', clientId: 'x', defaultRole: 'patient' },
    ]),
  );
  test = await buildGateway({ signOn });
  api = new Client(test);
  // Each test changes it as it needs.
  provider = signOn[0] as SignOnProvider;
  clinic.serve({
    redirect_uris: [redirect()],
    post_logout_redirect_uris: [`${test.config.publicUrl}/login`],
    backchannel_logout_uri: `${test.url}/api${backChannel}`,
  });
  admin = await buildAdmin(test.gateway);
});
beforeEach(() => {
  Object.assign(provider, { linkByEmail: false, signUp: true, approve: true, allowAdmin: true });
});
afterAll(async () => {
  await test.stop();
  await clinic.stop();
});

const cookieOf = (headers: Record<string, unknown>): string =>
  ([headers['set-cookie']].flat() as string[])
    .find((cookie) => cookie?.startsWith('lightbox_sign_on='))
    ?.split(';')[0] ?? '';

/** Begins a sign-in in a new browser. */
async function begin(body: object = {}) {
  const { body: answer, headers } = await api.post('/auth/sign-on/clinic', body).expect(200);
  return { url: answer.data.url as string, cookie: cookieOf(headers) };
}
const finish = (cookie: string, address: URL | string) =>
  api.post('/auth/sign-on/clinic/finish', { query: new URL(address).search.slice(1) }).set('Cookie', cookie);

/** Signs in a person of the clinic in a new browser. */
async function signOn(sub: string, body: object = {}) {
  const { url, cookie } = await begin(body);
  return finish(cookie, await clinic.browser().signIn(url, sub));
}

/** The product's clock of this file goes ahead of the provider's. */
const justNow = (claims: Record<string, unknown>) => ({
  ...claims,
  auth_time: Math.floor(test.clock.now().getTime() / 1000),
});

let count = 0;
function person(changes: object = {}) {
  count += 1;
  const sub = `person-${count}`;
  const email = `person${count}@clinic.test`;
  clinic.people.set(sub, { email, email_verified: true, name: 'Ada Khan', amr: ['pwd', 'mfa'], ...changes });
  return { sub, email };
}

async function userOf(email: string): Promise<UserDoc> {
  const user = await test.gateway.models.User.findOne({ email }).lean<UserDoc>();
  if (!user) throw new Error(`${email} has no account.`);
  return user;
}
const stored = async () => [
  await test.gateway.models.User.countDocuments(),
  await test.gateway.models.Identity.countDocuments(),
  await test.gateway.models.Session.countDocuments(),
];

describe('a sign-in', () => {
  it('A first sign-in makes a patient, and the next one is by issuer and sub, whatever the address.', async () => {
    const { sub, email } = person();
    const { data } = (await signOn(sub, { returnTo: '/view-images?study=1' })).body;
    expect(data).toMatchObject({ user: { email, role: { name: 'patient' } }, returnTo: '/view-images?study=1' });
    await api.as(data.token).get('/users/profile').expect(200);
    clinic.people.set(sub, { amr: ['mfa'], email: 'another@clinic.test', email_verified: false });
    const again = await signOn(sub);
    expect(again.body.data?.user).toMatchObject({ email });
    const user = await userOf(email);
    expect(user).toMatchObject({ firstname: 'Ada', lastname: 'Khan', status: 'active', passwordHash: '' });
    expect(await test.gateway.models.Identity.findOne({ user: user._id }).lean<IdentityDoc>()).toMatchObject({
      issuer: clinic.issuer,
      subject: sub,
    });
  });

  it('A new provider waits for approval, and gets in after it.', async () => {
    const { sub, email } = person({ groups: ['doctors'] });
    expect((await signOn(sub)).body.error).toBe('ACCOUNT_PENDING');
    expect((await signOn(sub)).body.error).toBe('ACCOUNT_PENDING');
    const event = await test.gateway.models.Event.findOne({
      type: 'auth.register',
      record: (await userOf(email))._id,
    }).lean<EventDoc>();
    expect(event?.recipients.map(String)).toContain(admin.id);
    await api.as(admin).post('/users/approve-provider', { email }).expect(200);
    expect((await signOn(sub)).body.data.user.role.name).toBe('healthProvider');
  });

  it('Without a second factor at the provider, the product’s own follows.', async () => {
    const { sub, email } = person({ amr: ['pwd'] });
    const { data } = (await signOn(sub)).body;
    expect(data).toMatchObject({ method: 'mail' });
    await api.as(data.token).get('/users/profile').expect(401);
    const user = await userOf(email);
    const { code } = await mailedCode(test.gateway, user._id);
    const signedIn = (await api.as(data.token).post('/auth/confirm', { code }).expect(200)).body.data;
    await api.as(signedIn.token).get('/users/profile').expect(200);
    const session = await test.gateway.models.Session.findOne({
      user: user._id,
      'signOn.strong': false,
    }).lean<SessionDoc>();
    expect(session?.signOn).toMatchObject({ provider: 'clinic' });
  });

  it('Mailed codes after a sign-in at a provider are limited like others.', async () => {
    const { sub, email } = person({ amr: ['pwd'] });
    await signOn(sub);
    const limited = await joinGateway({ ...test.config, rateLimits: true });
    const by = { caller: String((await userOf(email))._id) };
    for (let i = 0; i < throttles.verificationMail.points; i++)
      await limited.gateway.throttle.count('verificationMail', by);
    const browser = new Client(limited.url);
    const { body, headers } = await browser.post('/auth/sign-on/clinic', {}).expect(200);
    const query = (await clinic.browser().signIn(body.data.url, sub)).search.slice(1);
    const refused = await browser.post('/auth/sign-on/clinic/finish', { query }).set('Cookie', cookieOf(headers));
    expect([refused.status, refused.body.error]).toEqual([429, 'TOO_MANY_REQUESTS']);
    await limited.stop();
  });

  it('A role that changed at the provider is the role from the next sign-in on, and ends what was open.', async () => {
    provider.approve = false;
    const { sub, email } = person({ groups: ['doctors'] });
    const before = (await signOn(sub)).body.data;
    expect(before.user.role.name).toBe('healthProvider');
    clinic.people.set(sub, { email, email_verified: true, amr: ['mfa'], groups: ['chiefs', 'doctors'] });
    expect((await signOn(sub)).body.data.user.role.name).toBe('admin');
    await api.as(before.token).get('/users/profile').expect(401);
    clinic.people.set(sub, { email, email_verified: true, amr: ['mfa'], groups: [] });
    expect((await signOn(sub)).body.data.user.role.name).toBe('patient');
  });

  it('No claim makes an administrator unless the configuration allows it.', async () => {
    Object.assign(provider, { allowAdmin: false, approve: false });
    const { sub } = person({ groups: ['chiefs'] });
    expect((await signOn(sub)).body.data.user.role.name).toBe('patient');
  });

  it('A deactivated account does not get in.', async () => {
    const { sub, email } = person();
    await signOn(sub);
    await test.gateway.models.User.updateOne({ email }, { $set: { active: false } });
    const answer = await signOn(sub);
    expect([answer.status, answer.body.error]).toEqual([403, 'ACCOUNT_INACTIVE']);
  });
});

describe('an answer that is refused stores nothing', () => {
  const soon = () => Math.floor(Date.now() / 1000);
  it.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
    ['a wrong nonce', (claims) => ({ ...claims, nonce: 'another' })],
    ['no nonce', ({ nonce: _, ...claims }) => claims],
    ['another audience', (claims) => ({ ...claims, aud: 'another' })],
    ['a foreign issuer in the token', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['an expired token', (claims) => ({ ...claims, iat: soon() - 7200, exp: soon() - 3600 })],
  ])('%s', async (_, change) => {
    const { sub } = person();
    const before = await stored();
    const { url, cookie } = await begin();
    const back = await clinic.browser().signIn(url, sub);
    clinic.tamper((claims) => change(claims));
    const answer = await finish(cookie, back);
    expect([answer.status, answer.body.error]).toEqual([401, 'SIGN_ON_REFUSED']);
    expect(await stored()).toEqual(before);
  });

  it('a wrong state, a replayed answer, another browser, another purpose and an answer that comes late', async () => {
    const { sub } = person();
    const before = await stored();
    const [mine, theirs] = [await begin(), await begin()];
    const back = await clinic.browser().signIn(mine.url, sub);
    const refused = async (cookie: string, address: URL) => {
      const answer = await finish(cookie, address);
      expect([answer.status, answer.body.error]).toEqual([401, 'SIGN_ON_EXPIRED']);
    };
    // The attacker's answer in the victim's browser, and an answer in a browser that never began.
    await refused(theirs.cookie, back);
    await refused('', back);
    const wrong = new URL(back);
    wrong.searchParams.set('state', 'another');
    await refused(mine.cookie, wrong);
    const changed = `${mine.cookie.slice(0, -4)}AAAA`;
    await refused(changed, back);
    const session = await signIn(test.gateway, admin._id);
    const linking = api
      .as(session.token)
      .post('/auth/identities/clinic/finish', { query: back.search.slice(1) })
      .set('Cookie', mine.cookie);
    expect((await linking).body.error).toBe('SIGN_ON_EXPIRED');
    test.clock.forward({ minutes: 11 });
    await refused(mine.cookie, back);
    const fresh = await begin();
    const answer = await clinic.browser().signIn(fresh.url, sub);
    expect(await stored()).toEqual([before[0], before[1], (before[2] ?? 0) + 1]);
    await finish(fresh.cookie, answer).expect(200);
    const after = await stored();
    await refused(fresh.cookie, answer);
    expect(await stored()).toEqual(after);
  });

  it('a code that the provider has changed for tokens already, and an answer of another issuer (mix-up)', async () => {
    const { sub } = person();
    const first = await begin();
    const back = await clinic.browser().signIn(first.url, sub);
    await finish(first.cookie, back).expect(200);
    const before = await stored();
    const second = await begin();
    const replayed = new URL(back);
    replayed.searchParams.set('state', new URL(second.url).searchParams.get('state') ?? '');
    expect((await finish(second.cookie, replayed)).body.error).toBe('SIGN_ON_REFUSED');
    const third = await begin();
    const mixed = await clinic.browser().signIn(third.url, sub);
    mixed.searchParams.set('iss', 'https://evil.example');
    expect((await finish(third.cookie, mixed)).body.error).toBe('SIGN_ON_REFUSED');
    expect(await stored()).toEqual(before);
  });

  it('an address that the provider has not verified', async () => {
    const before = await stored();
    for (const changes of [{ email_verified: false }, { email_verified: undefined }, { email: undefined }]) {
      expect((await signOn(person(changes).sub)).body.error).toBe('SIGN_ON_UNVERIFIED');
    }
    expect(await stored()).toEqual(before);
  });

  it('a person without an account, where the provider makes none', async () => {
    const before = await stored();
    provider.signUp = false;
    expect((await signOn(person().sub)).body.error).toBe('SIGN_ON_NO_ACCOUNT');
    expect(await stored()).toEqual(before);
  });

  it('a sign-in that the person cancelled', async () => {
    const { url, cookie } = await begin();
    const state = new URL(url).searchParams.get('state');
    const answer = await finish(cookie, `${redirect()}?error=access_denied&state=${state}`);
    expect(answer.body.error).toBe('SIGN_ON_CANCELLED');
  });

  it.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/ok\n/x', 'x'])(
    'the return address %j',
    async (returnTo) => {
      const { data } = (await signOn(person().sub, { returnTo })).body;
      expect(data.token).toBeTruthy();
      expect(data).not.toHaveProperty('returnTo');
    },
  );

  it('a provider that does not answer: the message says so, and the own sign-in works', async () => {
    const { status, body, headers } = await api.post('/auth/sign-on/away', {});
    expect([status, body.error]).toEqual([503, 'SIGN_ON_AWAY']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await api.post('/auth/login', { email: admin.email, password: 'Granite-Willow-77' }).expect(200);
    const { data } = (await api.get('/auth/sign-on').expect(200)).body;
    expect(data).toEqual({
      providers: [
        { id: 'clinic', name: 'Clinic account' },
        { id: 'away', name: 'Away' },
      ],
      local: 'all',
    });
  });
});

describe('a link to an existing account', () => {
  it('By the verified address only where the configuration allows it, and never to an administrator.', async () => {
    const { sub, email } = person();
    const patient = await buildPatient(test.gateway, { email });
    expect((await signOn(sub)).body.error).toBe('SIGN_ON_ADDRESS_TAKEN');
    provider.linkByEmail = true;
    expect((await signOn(sub)).body.data.user.id).toBe(patient.id);
    const chief = person();
    await buildAdmin(test.gateway, { email: chief.email });
    provider.allowAdmin = false;
    expect((await signOn(chief.sub)).body.error).toBe('SIGN_ON_ADDRESS_TAKEN');
  });

  it('An account that somebody registered with another person’s address loses its password with the link.', async () => {
    const { sub, email } = person();
    await buildPatient(test.gateway, { email, status: 'unverified' });
    provider.linkByEmail = true;
    await signOn(sub);
    expect(await userOf(email)).toMatchObject({ status: 'active', passwordHash: '' });
  });

  it('From the profile after a proof, by any address; it signs in then, and unlinking ends that.', async () => {
    const doctor = await buildProvider(test.gateway);
    const { sub } = person({ groups: ['doctors'] });
    const session = api.as((await signIn(test.gateway, doctor._id)).token);
    const { body, headers } = await session.post('/auth/identities/clinic/begin', { returnTo: '/profile' }).expect(200);
    const back = await clinic.browser().signIn(body.data.url, sub);
    clinic.tamper(justNow);
    const query = back.search.slice(1);
    await session
      .post('/auth/identities/clinic/finish', { query })
      .set('Cookie', cookieOf(headers))
      .expect(200, { data: { returnTo: '/profile' } });
    const [identity] = (await session.get('/auth/identities').expect(200)).body.data;
    expect(identity).toMatchObject({ provider: 'clinic', name: 'Clinic account' });
    expect((await signOn(sub)).body.data.user.id).toBe(doctor.id);
    const events = await test.gateway.models.Event.find({ type: 'signOn.linked', actor: doctor._id }).lean<
      EventDoc[]
    >();
    expect(events[0]?.refs).toHaveProperty('notMe');
    await session.del(`/auth/identities/${identity.id}`).expect(200);
    expect((await signOn(sub)).body.data?.user.id).not.toBe(doctor.id);
  });
});

describe('a proof and an end', () => {
  it('A step-up is a fresh sign-in of the same person at the provider; a password is none.', async () => {
    const [mine, other] = [person(), person()];
    const { token, user } = (await signOn(mine.sub)).body.data;
    const session = api.as(token);
    const longAgo = new Date(test.clock.now().getTime() - 16 * 60_000);
    await test.gateway.models.Session.updateOne({ user: user.id }, { $set: { createAt: longAgo } });
    const wish = { name: 'Archive', scopes: ['read'], days: 30 };
    const asked = await session.post('/auth/tokens', wish).expect(403);
    expect(asked.body).toMatchObject({ error: 'STEP_UP_REQUIRED', ways: ['signOn'] });
    expect((await session.post('/auth/step-up', { password: 'x' })).body.error).toBe('STEP_UP_REQUIRED');
    const prove = async (sub: string, change?: (claims: Record<string, unknown>) => Record<string, unknown>) => {
      const { body, headers } = await session.post('/auth/step-up/sign-on', { returnTo: '/profile' }).expect(200);
      expect(new URL(body.data.url).searchParams.get('prompt')).toBe('login');
      const back = await clinic.browser().signIn(body.data.url, sub);
      if (change) clinic.tamper(change);
      return session
        .post('/auth/step-up/sign-on/clinic/finish', { query: back.search.slice(1) })
        .set('Cookie', cookieOf(headers));
    };
    const hourAgo = (claims: Record<string, unknown>) => ({
      ...claims,
      auth_time: Math.floor(Date.now() / 1000) - 3600,
    });
    const timeless = ({ auth_time: _, ...claims }: Record<string, unknown>) => claims;
    expect((await prove(other.sub, justNow)).body.error).toBe('SIGN_ON_REFUSED');
    for (const change of [hourAgo, timeless]) {
      expect((await prove(mine.sub, change)).body.error).toBe('SIGN_ON_REFUSED');
    }
    await session.post('/auth/tokens', wish).expect(403);
    expect((await prove(mine.sub, justNow)).status).toBe(200);
    await session.post('/auth/tokens', wish).expect(201);
  });

  it('A sign-out here leads to the sign-out there.', async () => {
    const { data } = (await signOn(person().sub)).body;
    const { body } = await api.as(data.token).post('/auth/logout', {}).expect(200);
    const url = new URL(body.data.url);
    expect(url.origin).toBe(clinic.issuer);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${test.config.publicUrl}/login`);
    expect(url.searchParams.get('id_token_hint')).toBeTruthy();
    const local = api.as((await signIn(test.gateway, admin._id)).token);
    expect((await local.post('/auth/logout', {}).expect(200)).body.data).toBeNull();
  });

  it('A sign-out at the provider ends the session here, and its live connection.', async () => {
    const { sub } = person();
    const browser = clinic.browser();
    const { url, cookie } = await begin();
    const { data } = (await finish(cookie, await browser.signIn(url, sub)).expect(200)).body;
    const elsewhere = (await signOn(sub)).body.data;
    const { socket } = await connectSocket(test.url, { token: data.token });
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    await browser.signOut(`${clinic.issuer}/session/end?client_id=${oidcClient.id}`);
    await closed;
    await api.as(data.token).get('/users/profile').expect(401);
    // Another session at the provider.
    await api.as(elsewhere.token).get('/users/profile').expect(200);
  });

  it('A logout token counts once, and only with everything that the specification asks for.', async () => {
    const { sub } = person();
    const { data } = (await signOn(sub)).body;
    const now = () => Math.floor(Date.now() / 1000);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const good = () => ({
      iss: clinic.issuer,
      aud: oidcClient.id,
      iat: now(),
      exp: now() + 120,
      jti: String(Math.random()),
      sub,
      events,
    });
    const end = (token: string) =>
      fetch(`${test.url}/api${backChannel}`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      }).then(({ status }) => status);
    const { sub: _, ...nobody } = good();
    const { jti: __, ...nameless } = good();
    for (const claims of [
      { ...good(), iss: 'https://evil.example' },
      { ...good(), aud: 'another' },
      { ...good(), exp: now() - 60 },
      { ...good(), iat: now() - 3600 },
      { ...good(), nonce: 'x' },
      { ...good(), events: {} },
      nobody,
      nameless,
    ]) {
      expect(await end(await clinic.sign(claims)), JSON.stringify(claims)).toBe(400);
    }
    expect(await end(await clinic.sign(good(), 'at+jwt'))).toBe(400);
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(good())).toString('base64url')}.`;
    expect(await end(unsigned)).toBe(400);
    await api.as(data.token).get('/users/profile').expect(200);
    const token = await clinic.sign({ ...good(), sub: 'stranger' }, 'logout+jwt');
    expect([await end(token), await end(token)]).toEqual([200, 400]);
    await api.as(data.token).get('/users/profile').expect(200);
    expect(await end(await clinic.sign(good(), 'logout+jwt'))).toBe(200);
    await api.as(data.token).get('/users/profile').expect(401);
  });
});

describe('SCIM', () => {
  const scim = (token: string, method: string, path: string, body?: object) =>
    fetch(`${test.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/scim+json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const makeToken = async () =>
    (
      await api
        .as((await signIn(test.gateway, admin._id)).token)
        .post('/admin/scim-tokens', { name: 'Directory', provider: 'clinic' })
        .expect(201)
    ).body.data as { id: string; token: string };
  const off = { Operations: [{ op: 'replace', path: 'active', value: 'False' }] };

  it('A leaver loses sessions, tokens and live connections within a second, and may come back.', async () => {
    const { token } = await makeToken();
    const { sub, email } = person();
    const { data } = (await signOn(sub)).body;
    const personal = (
      await api
        .as(data.token)
        .post('/auth/tokens', { name: 'Archive', scopes: ['read'], days: 30 })
        .expect(201)
    ).body.data.token;
    const { socket } = await connectSocket(test.url, { token: data.token });
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    const found = await scim(
      token,
      'GET',
      `/scim/v2/Users?filter=${encodeURIComponent(`userName eq "${email.toUpperCase()}"`)}`,
    );
    const { Resources } = (await found.json()) as { Resources: { id: string; active: boolean }[] };
    expect(Resources).toMatchObject([{ id: data.user.id, active: true }]);
    const begun = Date.now();
    expect((await scim(token, 'PATCH', `/scim/v2/Users/${data.user.id}`, off)).status).toBe(200);
    await closed;
    await api.as(data.token).get('/users/profile').expect(401);
    await api.as(personal).get('/users/profile').expect(401);
    expect(Date.now() - begun).toBeLessThan(1000);
    expect((await signOn(sub)).body.error).toBe('ACCOUNT_INACTIVE');
    const on = { Operations: [{ op: 'Replace', value: { active: true } }] };
    expect(await (await scim(token, 'PATCH', `/scim/v2/Users/${data.user.id}`, on)).json()).toMatchObject({
      active: true,
    });
    expect((await signOn(sub)).body.data.token).toBeTruthy();
    // An administrator's switch is not the provider's to undo.
    await test.gateway.models.User.updateOne({ email }, { $set: { active: false } });
    expect(await (await scim(token, 'PATCH', `/scim/v2/Users/${data.user.id}`, on)).json()).toMatchObject({
      active: false,
    });
  });

  it('An account is made, listed, replaced, removed and made again; the provider sees no other account.', async () => {
    const { token } = await makeToken();
    const stranger = await buildPatient(test.gateway);
    const userName = 'new.doctor@clinic.test';
    const body = { userName, externalId: 'E-7', name: { givenName: 'Sana', familyName: 'Mirza' }, active: true };
    const made = await scim(token, 'POST', '/scim/v2/Users', body);
    expect([made.status, made.headers.get('content-type')]).toEqual([201, 'application/scim+json; charset=utf-8']);
    const user = (await made.json()) as { id: string };
    expect(user).toMatchObject({ userName, externalId: 'E-7', active: true, emails: [{ value: userName }] });
    expect(await userOf(userName)).toMatchObject({ role: 'patient', firstname: 'Sana' });
    const again = await scim(token, 'POST', '/scim/v2/Users', body);
    expect([again.status, await again.json()]).toMatchObject([409, { scimType: 'uniqueness', status: '409' }]);
    const byId = `/scim/v2/Users?filter=${encodeURIComponent('externalId eq "E-7"')}`;
    expect(await (await scim(token, 'GET', byId)).json()).toMatchObject({
      totalResults: 1,
      Resources: [{ id: user.id }],
    });
    expect((await scim(token, 'GET', '/scim/v2/Users?filter=title%20pr')).status).toBe(400);
    const everybody = await (await scim(token, 'GET', '/scim/v2/Users?count=1000')).text();
    expect(everybody).toContain(user.id);
    expect(everybody).not.toContain(stranger.id);
    expect(everybody).not.toContain(admin.id);
    for (const [method, more] of [['GET'], ['DELETE'], ['PATCH', off], ['PUT', body]] as [string, object?][]) {
      expect((await scim(token, method, `/scim/v2/Users/${stranger.id}`, more)).status, method).toBe(404);
    }
    const renamed = { ...body, name: { givenName: 'Sana', familyName: 'Khan' }, active: false };
    expect(await (await scim(token, 'PUT', `/scim/v2/Users/${user.id}`, renamed)).json()).toMatchObject({
      active: false,
    });
    expect(await userOf(userName)).toMatchObject({ lastname: 'Khan', active: false });
    expect((await scim(token, 'DELETE', `/scim/v2/Users/${user.id}`)).status).toBe(204);
    expect((await scim(token, 'GET', `/scim/v2/Users/${user.id}`)).status).toBe(404);
    expect(await (await scim(token, 'POST', '/scim/v2/Users', body)).json()).toMatchObject({
      id: user.id,
      active: true,
    });
    const events = await test.gateway.models.Event.find({ record: user.id, type: /^scim/ }).lean<EventDoc[]>();
    expect(events.every((event) => event.token && !event.actor)).toBe(true);
    for (const path of ['/scim/v2/ServiceProviderConfig', '/scim/v2/Schemas', '/scim/v2/ResourceTypes']) {
      expect((await scim(token, 'GET', path)).status, path).toBe(200);
    }
  });

  it('Only a token of SCIM opens it, kept as a hash, and until it is revoked.', async () => {
    const { id, token } = await makeToken();
    const kept = JSON.stringify(await test.gateway.models.ScimToken.find().lean());
    expect(kept).not.toContain(token);
    const session = (await signIn(test.gateway, admin._id)).token;
    for (const wrong of [session, `${token}x`, 'lbs_', 'x']) {
      expect((await scim(wrong, 'GET', '/scim/v2/Users')).status).toBe(401);
    }
    await api.as(token).get('/users/profile').expect(401);
    await api.as(session).del(`/admin/scim-tokens/${id}`).expect(200);
    const refused = await scim(token, 'GET', '/scim/v2/Users');
    expect([refused.status, await refused.json()]).toMatchObject([401, { status: '401' }]);
  });
});

describe('the own sign-in, when it is off', () => {
  const set = async (name: string, value: string) =>
    api.as((await signIn(test.gateway, admin._id)).token).post('/appsetting/add', { name, value, description: '' });
  const tryPassword = (email: string) => api.post('/auth/login', { email, password: 'Granite-Willow-77' });

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
});
