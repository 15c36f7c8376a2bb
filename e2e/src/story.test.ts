import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { addAdministrator, approve, choosePerson, line, Person, password, tick } from './person.js';
import { visit } from './screens/judge.js';

const assets = join(import.meta.dirname, '../../backend/assets/demo');
const nida = { email: 'nida.hashmi@example.org', username: 'nida.hashmi', firstname: 'Nida', lastname: 'Hashmi' };

let admin: Person;
let provider: Person;
let patient: Person;
const faults: string[] = [];

test.beforeAll(async ({ browser, shared: product }) => {
  // The two see every animation, and have the service worker.
  const moving = { reducedMotion: 'no-preference', serviceWorkers: 'allow' } as const;
  await addAdministrator(product, nida);
  admin = await Person.arrive(product, browser, { ...nida, password });
  provider = await Person.arrive(product, browser, { email: 'bilal.siddiqui@example.org', password }, moving);
  patient = await Person.arrive(product, browser, { email: 'rania.ashraf@example.org', password }, moving);
});

afterAll(async () => {
  await Promise.all([admin, provider, patient].map((person) => person.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(
    Object.entries({ admin, provider, patient }).map(([name, person]) => person.shootFailure(`failed-${name}`)),
  );
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

async function fillPersonal(page: Page, first: string, last: string, email: string): Promise<void> {
  await page.getByLabel('First name').fill(first);
  await page.getByLabel('Last name').fill(last);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Username').fill(`${first}.${last}`.toLowerCase());
  await button(page, 'Next').click();
}

async function choosePassword(page: Page): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm password', { exact: true }).fill(password);
  await button(page, 'Submit').click();
}

test('A patient registers in four steps and enters the mailed code.', async () => {
  const { page } = patient;
  await page.goto('/');
  await page.getByRole('link', { name: 'Register' }).first().click();
  await tick(page.getByRole('radio', { name: /Patient/ }));
  await button(page, 'Next').click();
  await fillPersonal(page, 'Rania', 'Ashraf', patient.email);
  await page.getByLabel(/Primary physician/).fill('Dr Bilal Siddiqui');
  await button(page, 'Next').click();
  await choosePassword(page);
  await page.waitForURL('**/verify-account');
  faults.push(...(await patient.look('verify-account')));
  await patient.enterCode(line(await patient.mailed('Your verification code'), 'Code'));
  await page.waitForURL('**/view-images');
  await page.getByText('Nothing shared with you yet').waitFor();
});

test('A provider registers, and waits until an administrator approves.', async ({ shared: product }) => {
  const { page } = provider;
  await page.goto('/register');
  await tick(page.getByRole('radio', { name: /Health provider/ }));
  await button(page, 'Next').click();
  await fillPersonal(page, 'Bilal', 'Siddiqui', provider.email);
  await page.getByLabel('License number').fill('PMC-10422');
  await page.getByLabel('Specialization').fill('Radiology');
  await button(page, 'Next').click();
  await choosePassword(page);
  await page.getByText('under review').first().waitFor();

  await admin.signIn();
  await admin.page.waitForURL('**/dashboard');
  await visit(admin.page, '/approve-provider');
  await admin.page.getByText('Bilal Siddiqui').first().waitFor();
  await provider.mailed('We received your registration');
  await approve(admin.page, 'Bilal Siddiqui');
  await button(admin.page, 'Undo').click();
  await admin.page.getByText('Bilal Siddiqui waits for a decision again.').waitFor();
  await provider.mailed('Your account is under review again');
  // The mail about the first approval is not sent if the approval was undone before.
  const approved = 'Your account was approved';
  const before = (await product.mailbox.mails(provider.email, approved)).length;
  await approve(admin.page, 'Bilal Siddiqui');
  await provider.mailed(approved, before + 1);
  await provider.signIn();
  await page.waitForURL('**/dashboard');
});

test('An image for the patient appears on their screen by itself, and opens only with their code.', async () => {
  const { page } = provider;
  await page.getByRole('link', { name: 'Upload Image' }).first().click();
  await page.locator('input[type=file]').setInputFiles(join(assets, 'chest-ct.dcm'));
  await page.getByLabel('Caption').fill('Chest CT, axial');
  await page.getByRole('combobox', { name: /Patient/ }).fill('Ash');
  await page.getByRole('option', { name: /Rania Ashraf/ }).click();
  await expect.poll(() => page.getByRole('combobox', { name: /Patient/ }).inputValue()).toBe('Rania Ashraf');
  faults.push(...(await provider.look('upload')));
  await button(page, 'Upload Image').click();
  await page.waitForURL('**/view-images');

  // The page of the patient updates by itself.
  await patient.page.getByText('Image not Verified').waitFor();
  const mail = await patient.mailed('An image was shared with you');
  await button(patient.page, /^Verify/).click();
  await patient.page.getByRole('dialog').waitFor();
  const id = patient.page.getByLabel('Enter Image Sharing Id:');
  await expect.poll(() => id.inputValue()).toBe(line(mail, 'Sharing id'));
  const code = line(mail, 'Code');
  await patient.enterCode(code === '000000' ? '000001' : '000000');
  await patient.page
    .getByText(/4 tries left/)
    .first()
    .waitFor();
  await patient.enterCode(code);
  await patient.page.getByText('You can see it now.').first().waitFor();
  await patient.page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await patient.page.locator('main img[src^="data:image/webp"]').first().waitFor();
});

test('A photograph is shared for a day, and disappears at once when the share is revoked.', async () => {
  const { page } = provider;
  await page.getByRole('link', { name: 'Upload Image' }).first().click();
  await page.locator('input[type=file]').setInputFiles(join(assets, 'hand-xray.jpg'));
  await page.getByLabel('Caption').fill('Left hand, after fall');
  await button(page, 'Upload Image').click();
  await page.waitForURL('**/view-images');
  await button(page, 'Share Left hand, after fall').click();
  const dialog = page.getByRole('dialog');
  await choosePerson(dialog, 'Rania', /Ashraf, Rania/);
  faults.push(...(await provider.look('share-dialog')));
  await dialog.getByRole('button', { name: /^Share with/ }).click();
  await patient.page.getByText('Left hand, after fall').first().waitFor();
  // The card moves to the shared images: a click meanwhile would be lost.
  const shared = page.locator('section', { hasText: 'Shared Images' });
  await shared.getByRole('button', { name: 'Share Left hand, after fall' }).click();
  await page.getByRole('button', { name: /^Revoke the access/ }).click();
  await patient.page.getByText('Access has ended').first().waitFor();
});

test('The two exchange messages live.', async () => {
  await visit(provider.page, '/messages');
  await button(provider.page, 'New chat').click();
  await provider.page.getByPlaceholder('Search user by name or email...').fill('rania');
  await provider.page.locator('[role=dialog] [aria-busy=false]').getByText('Rania Ashraf').first().click();
  await provider.page.getByRole('dialog').getByLabel('Message').fill('Your scan is ready 🩻');
  await provider.page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();

  await patient.page
    .getByRole('link', { name: /Messages/ })
    .first()
    .click();
  await patient.page.getByText('Your scan is ready 🩻').first().click();
  await patient.page.getByRole('textbox', { name: /Message to|Write a message/ }).fill('Thank you, I can see it.');
  await patient.page.keyboard.press('Enter');
  await provider.page.getByRole('log').getByText('Thank you, I can see it.').waitFor();
  await patient.page
    .getByRole('log')
    .getByText(/Read|Delivered/)
    .first()
    .waitFor();
});

test('The provider sees the analysis arrive.', async () => {
  const { page } = provider;
  await page.getByRole('link', { name: 'View Images' }).first().click();
  await page
    .getByRole('link', { name: /Ai for Chest CT/ })
    .or(button(page, /Ai for Chest CT/))
    .first()
    .click();
  await page.getByRole('heading', { name: 'AI Medical Analysis' }).waitFor();
  await page
    .getByText(/computed tomography/i)
    .first()
    .waitFor();
  await page.getByText('Not assessed: no diagnostic model is configured.').first().waitFor();
});

test('The patient downloads all their data, and prints who got access to their images and who looked at them.', async () => {
  const { page } = patient;
  await visit(page, '/profile');
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download your data').click()]);
  const list = execFileSync('python3', ['-m', 'zipfile', '-l', (await download.path()) ?? ''], { encoding: 'utf8' });
  for (const name of ['profile.json', '.dcm', 'messages.html', 'log.csv', 'shares.json', 'index.html']) {
    expect(list).toContain(name);
  }
  await page.getByRole('link', { name: 'Who has seen my images' }).click();
  await page
    .getByRole('cell', { name: /^Bilal Siddiqui gave access to Rania Ashraf/ })
    .first()
    .waitFor();
  await page
    .getByRole('cell', { name: /^Bilal Siddiqui looked at it/ })
    .first()
    .waitFor();
  faults.push(...(await patient.look('disclosures')));
  await page.emulateMedia({ media: 'print' });
  await page.getByText('Printed on').waitFor();
  await expect.poll(() => page.getByRole('navigation', { name: 'Menu' }).isVisible()).toBe(false);
  await expect.poll(() => button(page, 'Print').isVisible()).toBe(false);
  await patient.shoot('disclosures-printed');
  await page.emulateMedia({ media: 'screen' });
  await visit(page, '/view-images');
});

test('A sign-out ends the session in this browser.', async () => {
  await button(patient.page, 'Logout').click();
  await patient.page.waitForURL('**/login');
  await patient.page.goto('/view-images');
  await patient.page.waitForURL('**/login');
});

// `everyScreen.long.test.ts` checks the screens; this journey checks states that only a story reaches.
test('No screen of the story breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect([admin, provider, patient].flatMap((person) => person.complaints)).toEqual([]);
});
