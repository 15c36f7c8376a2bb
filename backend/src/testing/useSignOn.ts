import { type SignOnProvider, signOnProvidersOf } from '@lightbox/core/config/singleSignOn.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { type OidcProvider, oidcClient, startOidcProvider } from '@lightbox/testkit/oidcProvider.js';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { Client } from './client.js';
import { buildAdmin, type Person } from './factories.js';
import { buildGateway, type TestGateway } from './gateway.js';

/** Returns the cookie that binds the answer of a provider to this browser. */
export const cookieOf = (headers: Record<string, unknown>): string =>
  ([headers['set-cookie']].flat() as string[])
    .find((cookie) => cookie?.startsWith('lightbox_sign_on='))
    ?.split(';')[0] ?? '';

/**
 * Starts a gateway with two providers for a test file: `clinic`, a real one, and `away`, which does not answer. Until
 * the first test the fields are empty. A test may change `provider`, the configuration of `clinic`.
 */
export function useSignOn() {
  const [test, clinic, provider, admin] = [{} as TestGateway, {} as OidcProvider, {} as SignOnProvider, {} as Person];
  const api = new Client(test);
  let count = 0;

  beforeAll(async () => {
    Object.assign(clinic, await startOidcProvider());
    const [configured, ...more] = signOnProvidersOf(
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
    Object.assign(test, await buildGateway({ signOn: [Object.assign(provider, configured), ...more] }));
    clinic.serve({
      redirect_uris: [`${test.config.publicUrl}/sign-on/clinic`],
      post_logout_redirect_uris: [`${test.config.publicUrl}/login`],
      backchannel_logout_uri: `${test.url}/api/auth/sign-on/clinic/back-channel-logout`,
    });
    Object.assign(admin, await buildAdmin(test.gateway));
  });
  beforeEach(() => {
    Object.assign(provider, { linkByEmail: false, signUp: true, approve: true, allowAdmin: true });
  });
  afterAll(async () => {
    await test.stop();
    await clinic.stop();
  });

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

  /** Adds a person to the clinic. */
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

  return { test, api, clinic, provider, admin, begin, finish, signOn, person, userOf };
}
