import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { throttles } from '@lightbox/contract/throttles.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { IdentityDoc } from '@lightbox/core/models/identity.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client } from '../testing/client.js';
import { buildAdmin, buildPatient, buildProvider, mailedCode, signIn } from '../testing/factories.js';
import { joinGateway } from '../testing/gateway.js';
import { cookieOf, useSignOn } from '../testing/useSignOn.js';
import { type Discovered, SignOnProviders } from './providers.js';

const { test, api, clinic, provider, admin, begin, finish, signOn, person, userOf } = useSignOn();

const redirect = () => `${test.config.publicUrl}/sign-on/clinic`;

/** The product's clock of this file goes ahead of the provider's. */
const justNow = (claims: Record<string, unknown>) => ({
  ...claims,
  auth_time: Math.floor(test.clock.now().getTime() / 1000),
});

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

  it.each([
    ['login_required', 'login_required'],
    ['Hina Farooq, 14 March 1988', 'other'],
  ])('an answer with the error %j, which the log shows as %j', async (error, shown) => {
    const logged = vi.spyOn(test.gateway.log, 'warn');
    const { url, cookie } = await begin();
    const answer = new URLSearchParams({
      error,
      iss: clinic.issuer,
      state: new URL(url).searchParams.get('state') ?? '',
    });
    expect((await finish(cookie, `${redirect()}?${answer}`)).body.error).toBe('SIGN_ON_REFUSED');
    expect(logged.mock.calls.map(([facts]) => facts)).toContainEqual({ provider: 'clinic', fault: shown });
    logged.mockRestore();
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

describe('an endless answer of a provider ends early', () => {
  const [chunk, chunks] = [Buffer.alloc(64 * 1024, ' '), 1024];

  /** A provider that answers at `path` with 64 MiB of spaces. */
  async function startEndless(path: string) {
    const [sent, at] = [{ bytes: 0 }, { issuer: '' }];
    const server = createServer(async (request, response) => {
      response.setHeader('content-type', 'application/json');
      const url = (name: string) => `${at.issuer}/${name}`;
      if (request.url !== path) {
        const metadata = { issuer: at.issuer, jwks_uri: url('keys'), token_endpoint: url('token') };
        return response.end(JSON.stringify({ ...metadata, userinfo_endpoint: url('userinfo') }));
      }
      const spaces = function* () {
        for (let i = 0; i < chunks; i++) {
          sent.bytes += chunk.length;
          yield chunk;
        }
      };
      // The product hangs up.
      return pipeline(spaces, response).catch(() => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    at.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { sent, known: new SignOnProviders({ signOn: [{ ...provider, id: 'endless', issuer: at.issuer }] }) };
  }

  it.each<[string, string, (found: Discovered) => Promise<unknown>]>([
    ['metadata', '/.well-known/openid-configuration', async () => undefined],
    ['keys', '/keys', ({ keys }) => keys({ alg: 'RS256' }, { payload: '', signature: '' }) as Promise<unknown>],
    ['token', '/token', ({ client }) => oidc.clientCredentialsGrant(client, {})],
    ['facts about a person', '/userinfo', ({ client }) => oidc.fetchUserInfo(client, 'x', 'y')],
  ])('Of endless %s it reads a megabyte.', async (_, path, ask) => {
    const { sent, known } = await startEndless(path);
    await expect(known.discover('endless').then(ask)).rejects.toThrow();
    // More is on the way than is read.
    expect(sent.bytes).toBeLessThan((chunks * chunk.length) / 4);
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

  it.each(['active', 'unverified'] as const)(
    'An account (%s) that is closed while it is linked keeps no link, and its person gets a new one.',
    async (status) => {
      const { sub, email } = person();
      const patient = await buildPatient(test.gateway, { email, status });
      provider.linkByEmail = true;
      const { events } = test.gateway;
      const change = events.change.bind(events);
      const beforeLink = vi.spyOn(events, 'change').mockImplementationOnce(async (...args) => {
        await api.as(admin).del(`/users/${patient.id}`).expect(200);
        return change(...args);
      });
      expect((await signOn(sub)).body.error).toBe('SIGN_ON_EXPIRED');
      beforeLink.mockRestore();
      expect(await test.gateway.models.Identity.exists({ user: patient._id })).toBeNull();
      expect((await signOn(sub)).body.data.user).toMatchObject({ email });
    },
  );

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
