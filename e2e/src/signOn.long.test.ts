import { type OidcProvider, oidcClient, startOidcProvider } from '@lightbox/testkit/oidcProvider.js';
import { afterAll, expect } from 'vitest';
import { test } from './journey.js';
import { Person } from './person.js';
import { type OwnProduct, startProduct } from './product.js';
import { fits } from './screens/judge.js';

/** Its own product, because a provider is configured at the start. */
let product: OwnProduct;
let clinic: OidcProvider;

const ada = { email: 'ada.khan@clinic.test', password: '' };

test.beforeAll(async () => {
  clinic = await startOidcProvider();
  const provider = {
    id: 'clinic',
    name: 'Clinic account',
    issuer: clinic.issuer,
    clientId: oidcClient.id,
    clientSecret: oidcClient.secret,
    defaultRole: 'patient',
    secondFactor: { amr: ['mfa'] },
  };
  const away = {
    id: 'away',
    name: 'Other clinic',
    issuer: 'http://127.0.0.1:9',
    clientId: 'x',
    defaultRole: 'patient',
  };
  product = await startProduct({ env: { OIDC_PROVIDERS: JSON.stringify([provider, away]) } });
  const { port } = new URL(product.url);
  const own = (path: string) => ['localhost', '127.0.0.1'].map((host) => `http://${host}:${port}${path}`);
  clinic.serve({ redirect_uris: own('/sign-on/clinic'), post_logout_redirect_uris: own('/login') });
  clinic.people.set('ada', { email: ada.email, email_verified: true, name: 'Ada Khan', amr: ['mfa'] });
  clinic.people.set('unverified', { email: 'other@clinic.test', email_verified: false, name: 'Other', amr: ['mfa'] });
});
afterAll(async () => {
  await product?.stop();
  await clinic?.stop();
});

test('A person signs in with the account of their organization, with one tap, and signs out in both places.', async ({
  browser,
}) => {
  const person = await Person.arrive(product, browser, ada, { viewport: { width: 390, height: 844 } });
  const { page } = person;
  const enter = page.getByRole('button', { name: 'Log in with Clinic account' });
  const signInThere = async (sub: string) => {
    await page.getByLabel('Account').fill(sub);
    await page.getByRole('button', { name: 'Log in' }).click();
  };

  await page.goto('/login');
  await enter.waitFor();
  expect(await person.lookTwice('sign-on-login')).toEqual([]);
  await page.getByRole('button', { name: 'اردو' }).first().click();
  // The name stands between marks that isolate its direction.
  await page.getByRole('button', { name: /Clinic account.* سے لاگ اِن کریں/ }).waitFor();
  expect([...(await person.lookTwice('sign-on-login-ur')), ...(await fits(person, 'sign-on-login-ur'))]).toEqual([]);
  await page.getByRole('button', { name: 'English' }).first().click();

  // A provider that does not answer leaves the form as it is.
  await page.getByRole('button', { name: 'Log in with Other clinic' }).click();
  await page.getByText('The login provider does not answer.').waitFor();

  await enter.click();
  await signInThere('unverified');
  await page.getByRole('alert').getByText('has not verified your email address').waitFor();
  expect(new URL(page.url()).search).toBe('');
  expect(await person.lookTwice('sign-on-refused')).toEqual([]);
  await page.getByRole('link', { name: 'Back to the login' }).click();

  // The provider remembers the person who signed in before.
  await page.context().clearCookies();
  await enter.click();
  await signInThere('ada');
  await page.waitForURL('**/view-images');

  await page.goto('/profile');
  const linked = page.getByRole('list', { name: 'Linked logins' });
  await linked.getByText('Clinic account').waitFor();
  await linked.scrollIntoViewIfNeeded();
  await person.shoot('sign-on-profile');

  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Logout' }).first().click();
  await page.waitForURL(`${clinic.issuer}/**`);
  await page.getByRole('button').first().click();
  await page.waitForURL('**/login');
  expect(person.complaints).toEqual([]);
  await person.leave();
});
