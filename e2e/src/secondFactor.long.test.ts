import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { modelServer } from './modelServer.js';
import { smallFile } from './pages.js';
import { addAdministrator, enterProviders, line, Person, password } from './person.js';
import { type OwnProduct, startProduct } from './product.js';
import { fits, judge, turnTo, visit } from './screens/judge.js';
import { STEP_MS, shown } from './totp.js';

/** An administrator of this journey, because it changes how the account logs in. */
const tahira = { email: 'tahira.aziz@example.org', username: 'tahira.aziz', firstname: 'Tahira', lastname: 'Aziz' };

/**
 * Its own product, because a setting that it changes blocks the screens of all staff. The last journey needs another provider of
 * analyses, and shares this product.
 */
let product: OwnProduct;
let model: Awaited<ReturnType<typeof modelServer>>;
/** The same administrator on two devices. */
let desk: Person;
let phone: Person;
let secret = '';
let recoveryCodes: string[] = [];
let device: Awaited<ReturnType<typeof withAuthenticator>>;
const faults: string[] = [];

test.beforeAll(async ({ browser }) => {
  model = await modelServer();
  const ai = { AI_PROVIDER: 'openai', AI_BASE_URL: `http://${model.host}/v1`, AI_MODEL: 'vision-1' };
  product = await startProduct({ env: ai });
  await addAdministrator(product, tahira);
  desk = await Person.arrive(product, browser, { ...tahira, password });
  phone = await Person.arrive(product, browser, { ...tahira, password }, { viewport: { width: 390, height: 844 } });
});
afterAll(async () => {
  await Promise.all([desk, phone].map((person) => person?.leave()));
  await product?.stop();
  model?.stop();
});
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(Object.entries({ desk, phone }).map(([name, person]) => person.shootFailure(`failed-${name}`)));
});

/** Checks the same screen in Urdu, from right to left: in the dark theme and in narrow windows. */
async function inUrdu(person: Person, name: string): Promise<string[]> {
  const { page } = person;
  const size = page.viewportSize();
  await page.emulateMedia({ colorScheme: 'dark' });
  await button(page, 'اردو').click();
  await page.locator('html[lang=ur][dir=rtl]').waitFor({ state: 'attached' });
  const found = await judge(person, name, { language: 'ur' });
  found.push(...(await person.look(`${name}-ur`)), ...(await fits(person, name)));
  await button(page, 'English').click();
  await page.locator('html[lang=en]').waitFor({ state: 'attached' });
  await page.emulateMedia({ colorScheme: null });
  if (size) await page.setViewportSize(size);
  return found;
}

const button = (page: Page, name: string) => page.getByRole('button', { name }).first();

async function enterPassword({ page, email, password }: Person): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await button(page, 'Login').click();
  await page.waitForURL('**/verify-account');
}
/** Adds a virtual authenticator to the page. `holds` sets whether it confirms the presence of its user. */
async function withAuthenticator(page: Page): Promise<{ holds: (held: boolean) => Promise<unknown> }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { holds: (enabled) => cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }) };
}

/** Forgets the session in the browser. An open screen would store it again with the next answer. */
async function forgetSession(page: Page): Promise<void> {
  await page.goto(smallFile);
  await page.evaluate('localStorage.clear()');
}

const signedIn = (page: Page) => page.waitForURL('**/dashboard');

test('An authenticator app is set up in the profile.', async () => {
  const { page } = desk;
  await desk.signIn();
  await turnTo(page, '/profile');
  await page.getByText('This device', { exact: true }).waitFor();
  faults.push(...(await desk.look('security')));
  await button(page, 'Set up the app').click();
  const ask = page.getByRole('dialog', { name: 'Is this still you?' });
  await ask.getByLabel('Your password').fill(desk.password);
  faults.push(...(await desk.look('step-up')), ...(await fits(desk, 'step-up')));
  await page.setViewportSize({ width: 1280, height: 800 });
  await ask.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  secret = ((await page.locator('[data-secret]').textContent()) ?? '').replaceAll(' ', '');
  faults.push(...(await desk.look('security-set-up')));
  await page.getByRole('dialog').getByRole('textbox').first().focus();
  await page.keyboard.type(shown(secret, Date.now()));
  await button(page, 'Turn on').click();
  const codes = page.getByRole('list', { name: 'Recovery codes' });
  await codes.waitFor();
  faults.push(...(await desk.look('security-recovery')));
  recoveryCodes = await codes.getByRole('listitem').allTextContents();
  expect(recoveryCodes).toHaveLength(10);
  await button(page, 'I have saved them').click();
  await page.getByText('10 recovery codes left.').waitFor();
});

test('The next sign-in requires the app, sends no mail, and can be ended from the first device.', async () => {
  const mails = async () => product.mailbox.mails(phone.email, 'Your verification code');
  const before = (await mails()).length;
  await enterPassword(phone);
  await phone.page.getByText('code from your authenticator app').waitFor();
  faults.push(...(await phone.look('verify-app')));
  faults.push(...(await inUrdu(phone, 'verify-app')));
  // The buttons of the languages have taken the focus.
  await phone.page.getByRole('textbox', { name: 'Digit 1 of 6' }).focus();
  // The setup may have used the current code, and a code works only once. The server already accepts the next one.
  await phone.enterCode(shown(secret, Date.now() + STEP_MS));
  await signedIn(phone.page);
  expect(await mails()).toHaveLength(before);

  await desk.page.reload();
  await button(desk.page, 'Log out Chrome').click();
  await phone.page.waitForURL('**/login');
  await phone.page.getByText('You were logged out from another device.').waitFor();
});

test('A recovery code works once.', async () => {
  for (const works of [true, false]) {
    await enterPassword(phone);
    await button(phone.page, 'Use a recovery code').click();
    if (works) faults.push(...(await phone.look('verify-recovery')), ...(await inUrdu(phone, 'verify-recovery')));
    await phone.page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
    await phone.page.getByRole('button', { name: 'Verify', exact: true }).click();
    if (works) await signedIn(phone.page);
    else await phone.page.getByText('That code didn’t match. 4 tries left.').waitFor();
    if (works) await forgetSession(phone.page);
  }
});

test('Recovery codes and the password are renewed in the profile, and mails report it.', async () => {
  const { page } = desk;
  // The number was changed on another device, and only a load reads it again.
  await page.goto('/profile');
  await page.getByText('9 recovery codes left.').waitFor();
  await button(page, 'New recovery codes').click();
  const ask = page.getByRole('alertdialog');
  faults.push(...(await desk.look('security-renew')));
  await ask.getByRole('button', { name: 'New recovery codes' }).click();
  const codes = page.getByRole('list', { name: 'Recovery codes' });
  await codes.waitFor();
  const fresh = await codes.getByRole('listitem').allTextContents();
  expect(new Set([...fresh, ...recoveryCodes]).size).toBe(20);
  await button(page, 'I have saved them').click();
  await page.getByText('10 recovery codes left.').waitFor();
  await desk.mailed('Your recovery codes were renewed');

  // Change the password twice, so that the journey continues with the first one.
  const other = 'Another-Enough-Pass-7';
  for (const [from, to] of [
    [desk.password, other],
    [other, desk.password],
  ] as const) {
    await button(page, 'Change password').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password', { exact: true }).fill(from);
    await dialog.getByLabel('New password', { exact: true }).fill(to);
    await dialog.getByLabel('Confirm password', { exact: true }).fill(to);
    if (to === other) faults.push(...(await desk.look('security-password')));
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  await desk.mailed('Your password was changed', 2);
  await page.getByText('Password changed', { exact: true }).first().waitFor();
});

test('When the clinic requires a second factor, no screen opens before the account has a passkey or an app.', async () => {
  const { page } = desk;
  const setting = { name: 'security.requireSecondFactor', value: 'staff', description: '' };
  const { id } = await desk.call<{ id: string }>('/appsetting/add', 'POST', setting);
  await visit(page, '/profile');
  await button(page, 'Remove the app').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove the app' }).click();
  await page.getByText('The app was removed.').waitFor();
  await page.goto('/dashboard');
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await button(page, 'Use an authenticator app instead').click();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  faults.push(...(await desk.look('security-required-app')));
  await button(page, 'Use a passkey instead').click();
  device = await withAuthenticator(page);
  await page.getByLabel('Name of the passkey').fill('Work laptop');
  faults.push(...(await desk.look('security-required')));
  await button(page, 'Continue').click();
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  recoveryCodes = await codes.allTextContents();
  await button(page, 'I have saved them').click();
  await page.getByRole('heading', { name: /Welcome/ }).waitFor();
  // The next tests log in where nothing is required.
  await desk.call('/appsetting/delete', 'DELETE', { id });
});

test('A passkey signs in without a password, and the password needs the passkey or a recovery code.', async () => {
  const { page } = desk;
  await forgetSession(page);
  await device.holds(false);
  await page.goto('/login');
  await button(page, 'Log in with a passkey').waitFor();
  faults.push(...(await desk.look('login-passkey')));
  // The autofill of the field started before the user confirmed. The button starts a new request.
  await device.holds(true);
  await button(page, 'Log in with a passkey').click();
  await signedIn(page);
  await turnTo(page, '/profile');
  await page.getByText('Logged in with a passkey', { exact: true }).waitFor();
  await page.getByRole('list', { name: 'Passkeys' }).getByText('Work laptop').waitFor();
  faults.push(...(await desk.look('security-passkeys')));

  await enterPassword(phone);
  await button(phone.page, 'Log in with a passkey').waitFor();
  faults.push(...(await phone.look('verify-passkey')));
  faults.push(...(await inUrdu(phone, 'verify-passkey')));
  await button(phone.page, 'Use a recovery code').click();
  await phone.page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
  await phone.page.getByRole('button', { name: 'Verify', exact: true }).click();
  await signedIn(phone.page);
});

test('The link in the mail removes the passkey after a click, and ends all sessions.', async () => {
  const { page } = phone;
  await page.goto(line(await phone.mailed('A passkey was added to your account'), 'Link'));
  await button(page, 'Log out every device').waitFor();
  await page.waitForURL((url) => url.search === '');
  faults.push(...(await phone.look('not-me')));
  faults.push(...(await inUrdu(phone, 'not-me')));
  await button(page, 'Log out every device').click();
  await page.getByText('The passkey was removed.').waitFor();
  faults.push(...(await phone.look('not-me-done')));
  await desk.page.waitForURL('**/login');
  await desk.page.getByText('A change to your login was undone').waitFor();
});

test('No screen of the journey breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect([...desk.complaints, ...phone.complaints]).toEqual([]);
  expect(faults).toEqual([]);
});

test('A picture goes to a model server after the person has read where, with progress on the screen, and no markup of the answer is rendered.', async ({
  browser,
}) => {
  const osman = { email: 'osman.rao@example.org', username: 'osman.rao', firstname: 'Osman', lastname: 'Rao' };
  const [person] = (await enterProviders(product, browser, osman)) as [Person];
  const buffer = readFileSync(join(import.meta.dirname, '../../backend/assets/demo/hand-xray.jpg'));
  const image = await person.upload('A hand', { name: 'hand.jpg', mimeType: 'image/jpeg', buffer });
  const { page } = person;
  await page.goto(`/ai-analysis/${image.id}`);
  await page.getByText(model.host).waitFor();
  const found = await person.lookTwice('analysis-goes-away');
  expect(model.asked).toHaveLength(0);
  await page.getByRole('button', { name: 'Send and analyze' }).click();
  // A third of the answer has arrived: the bar stands between the question and the end.
  const bar = page.getByRole('progressbar', { name: 'Progress of the analysis' });
  await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(40);
  model.rest();
  await page.getByText('A picture. It is described').waitFor();
  expect(await page.title()).not.toBe('taken');
  expect(await page.locator('main article img, main article b').count()).toBe(0);
  expect(model.asked).toHaveLength(1);
  expect(found).toEqual([]);
  await person.leave();
});
