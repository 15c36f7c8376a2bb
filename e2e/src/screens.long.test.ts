import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { approve, enterAdministrator, Person } from './person.js';
import { turnTo, visit } from './screens/judge.js';

const assets = join(import.meta.dirname, '../../backend/assets/demo');
const account = {
  email: 'a.sana.mirza@example.org',
  username: 'sana.mirza',
  password: 'Long-Enough-Pass-9',
  role: 'healthProvider',
  firstname: 'sana',
  lastname: 'mirza',
  dob: '1988-03-17',
  licensenumber: 'PMC-48120-R',
  specialization: 'Radiology',
};

const rafiq = { email: 'rafiq.anjum@example.org', username: 'rafiq.anjum', firstname: 'Rafiq', lastname: 'Anjum' };

let admin: Person;
let provider: Person;
const faults: string[] = [];

test.beforeAll(async ({ browser, shared: product }) => {
  // A time zone far from Karachi reveals a date of birth that depends on the zone.
  const away = {
    timezoneId: 'America/Los_Angeles',
    permissions: ['clipboard-read', 'clipboard-write'],
    // The browser keeps the files of the service worker too, in the check of its stored data.
    serviceWorkers: 'allow' as const,
  };
  admin = await enterAdministrator(product, browser, rafiq);
  provider = await Person.arrive(product, browser, account, away);
  await fetch(`${product.url}/api/auth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  });
});

afterAll(async () => {
  await Promise.all([admin, provider].map((person) => person.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(Object.entries({ admin, provider }).map(([name, person]) => person.shootFailure(`failed-${name}`)));
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const fact = (page: Page, label: string) =>
  page.locator('dt', { hasText: new RegExp(`^${label}$`) }).locator('xpath=following-sibling::dd[1]');

test('An administrator changes a setting in its row.', async () => {
  const { page } = admin;
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'Settings' }).click();
  const other = await page.context().newPage();
  await other.goto('/appsettings');
  const rowIn = (tab: Page) => tab.getByRole('row', { name: /Default sharing time/ });
  await rowIn(other).getByText('24 hours').first().waitFor();
  await button(page, 'Edit Default sharing time').click();
  await page.getByLabel('Value of Default sharing time').fill('9000');
  await button(page, 'Save').click();
  await page.getByRole('alert').getByText('Must be a number, 1 hour to 720 hours.').waitFor();
  faults.push(...(await admin.lookTwice('appsettings')));
  await page.getByLabel('Value of Default sharing time').fill('36');
  await button(page, 'Save').click();
  await rowIn(page).getByText('36 hours').waitFor();
  await rowIn(other).getByText('36 hours').waitFor();
  await other.close();
});

test('Roles and permissions are listed.', async () => {
  const { page } = admin;
  await page.getByRole('link', { name: 'Roles' }).click();
  await page.getByText('setting.manage').waitFor();
  await page.getByText('healthProvider').first().waitFor();
});

test('The table of people leads to a profile, and an approval is in the audit log.', async () => {
  const { page } = admin;
  await turnTo(page, '/approve-provider');
  await approve(page, 'Sana Mirza');
  await turnTo(page, '/dashboard');
  await button(page, 'Email').click();
  await page.waitForURL('**/dashboard?sort=email');
  await page.reload();
  await page.locator('th[aria-sort=ascending]', { hasText: 'Email' }).waitFor();
  await button(page, 'Actions for sana mirza').click();
  await page.getByRole('menuitem', { name: 'View' }).click();
  await page.waitForURL('**/user-profile/*');
  await page.goBack();
  await page.waitForURL('**/dashboard?sort=email');
  await page.goForward();
  await page.getByRole('heading', { name: 'Sana Mirza', exact: true }).waitFor();

  await turnTo(page, '/audit-logs?action=user.approve');
  await page.getByRole('cell', { name: 'Approve provider', exact: true }).first().waitFor();
  await page.getByPlaceholder('Search by user...').fill('nobody at all');
  await page.getByText('No audit logs found.').waitFor();
  expect(page.url()).not.toContain('nobody');
  await page.getByPlaceholder('Search by user...').fill('');
  await button(page, 'Check integrity').click();
  await page.getByText('Log intact').waitFor();
  await page.getByLabel('Rows per page:').selectOption('10');
  await page.waitForURL((url) => url.searchParams.get('rows') === '10');
  await page.getByLabel('Filter by action').selectOption('');
  await page.waitForURL((url) => url.search === '?rows=10');
  // A worker appends the entry a moment later, and the list shows it when it is read again.
  const entry = page.getByRole('cell', { name: 'Check integrity of audit log', exact: true });
  await expect
    .poll(async () => {
      // By its action: each reading of the log is an entry too, and the list has ten rows.
      await visit(page, '/audit-logs?action=audit.verify');
      await page.getByText('No audit logs found.').or(entry.first()).first().waitFor();
      return entry.count();
    })
    .toBeGreaterThan(0);
  await button(page, /^Details of Check integrity of audit log/).click();
  await page.getByRole('dialog').getByText('audit.verify').waitFor();
  await page.getByRole('dialog').locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await button(page, 'Export').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^CSV/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^audit-log-[\d-]+\.csv$/);
});

/** Expects no data of the profile in the browser except the fields of the session. */
async function expectOnlySession(person: Person, username: string): Promise<void> {
  const { id } = await person.call<{ id: string }>('/users/profile');
  const { root, all } = await person.kept();
  const { email, firstname, lastname, role } = account;
  expect(root).toEqual({
    token: expect.any(String),
    user: { id, email, username, firstname, lastname, role: { name: role } },
  });
  for (const fact of [account.dob, account.licensenumber, account.specialization, 'Karachi', account.password]) {
    expect(all).not.toContain(fact);
  }
}

test('A provider edits their profile, and the date of birth is the same in every time zone.', async () => {
  await provider.signIn();
  const { page } = provider;
  await expectOnlySession(provider, account.username);
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('heading', { name: 'Sana Mirza', exact: true }).waitFor();
  expect(await fact(page, 'Date of Birth').textContent()).toMatch(/17.*March|March.*17/);
  expect(await fact(page, 'Phone Number').textContent()).toBe('N/A');
  await button(page, 'Edit Profile').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('City').fill('Karachi');
  await dialog.getByLabel('Username').fill('a b');
  await button(page, 'Save changes').click();
  await dialog.getByRole('alert').waitFor();
  faults.push(...(await provider.lookTwice('edit-profile')));
  await dialog.getByLabel('Username').fill('dr.sana');
  await button(page, 'Save changes').click();
  await page.getByText('Profile updated successfully!').waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await fact(page, 'City').textContent()).toBe('Karachi');
  await expectOnlySession(provider, 'dr.sana');
});

test('A copied link opens the image for its owner.', async () => {
  const { page } = provider;
  await turnTo(page, '/upload');
  await page.locator('input[type=file]').setInputFiles(join(assets, 'hand-xray.jpg'));
  await page.getByLabel('Caption').fill('Left hand, after fall');
  await button(page, 'Upload Image').click();
  await page.waitForURL('**/view-images');
  await page.getByRole('link', { name: 'Copy links' }).click();
  await button(page, 'Copy Link to Left hand, after fall').click();
  await page.getByText('Link copied to clipboard!').waitFor();
  await page.getByRole('button', { name: /^Liver/ }).click();
  await page.getByRole('heading', { name: 'Liver, ultrasound' }).waitFor();
  faults.push(...(await provider.lookTwice('share-image')));
  await page.goto(await page.evaluate<string>('navigator.clipboard.readText()'));
  await page.getByRole('dialog').getByText('Left hand, after fall').first().waitFor();
  await visit(page, '/view-images');
  await button(page, /^Open.*Left hand, after fall/).click();
  await page.waitForURL('**/view-images?image=*');
  await page.reload();
  await page.getByRole('dialog').getByText('Left hand, after fall').first().waitFor();
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByLabel('Sort by:').selectOption('createAt');
  await page.waitForURL('**/view-images?sort=createAt');
});

test('A provider reads their own part of the audit log, and no settings.', async () => {
  const { page } = provider;
  await turnTo(page, '/audit-logs');
  await page.getByLabel('Filter by action').selectOption('image.upload');
  await page.getByRole('cell', { name: 'Upload image', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Check integrity' }).count()).toBe(0);
  await turnTo(page, '/appsettings');
  await page.getByRole('heading', { name: 'You don’t have access to this page' }).first().waitFor();
});

test('An account is closed with its password and the typed word.', async () => {
  const { page } = provider;
  await turnTo(page, '/profile');
  await button(page, 'Delete account').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByLabel('Your password').fill('Not-This-One-1');
  await dialog.getByLabel('Type delete to confirm').fill('delete');
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await dialog.getByText('This password is not correct.').waitFor();
  faults.push(...(await provider.look('delete-account')));
  await dialog.getByLabel('Your password').fill(account.password);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await page.waitForURL('**/login');
});

test('No screen breaks WCAG 2.2 AA in either theme, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect([admin, provider].flatMap((person) => person.complaints)).toEqual([]);
});
