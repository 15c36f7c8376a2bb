import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { addAdministrator, line, Person, password } from './person.js';
import { visit } from './screens/judge.js';

const saima = { email: 'saima.gul@example.org', username: 'saima.gul', firstname: 'Saima', lastname: 'Gul' };

let admin: Person;
const faults: string[] = [];

test.beforeAll(async ({ browser, shared: product }) => {
  await addAdministrator(product, saima);
  admin = await Person.arrive(product, browser, { ...saima, password });
});

afterAll(async () => {
  await admin?.leave();
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await admin.shootFailure('failed-languages');
});

/** Returns how many pixels the page is wider than the window. */
const sticksOut = () => admin.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

test('A reader of Urdu finds the language on the login page, and signs in with it.', async () => {
  const { page } = admin;
  await page.goto('/login');
  await page.getByRole('button', { name: 'اردو' }).click();
  await page.getByRole('heading', { name: 'لاگ اِن' }).waitFor();
  await page.locator('html[lang=ur][dir=rtl]').waitFor();

  // The message about a wrong password is in Urdu, by its error code.
  await page.getByLabel('ای میل').fill(admin.email);
  await page.getByLabel('پاس ورڈ', { exact: true }).fill('Not-The-Password-1');
  await page.getByRole('button', { name: 'لاگ اِن کریں', exact: true }).click();
  await page.getByText('ای میل یا پاس ورڈ درست نہیں۔').first().waitFor();

  await page.getByLabel('پاس ورڈ', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'لاگ اِن کریں', exact: true }).click();
  await page.waitForURL('**/verify-account');
  const code = line(await admin.mailed('Your verification code'), 'Code');
  await page
    .getByRole('textbox', { name: /ہندسہ 1/ })
    .first()
    .focus();
  await page.keyboard.type(code);
  await page.getByRole('button', { name: 'تصدیق کریں' }).click();
  await page.waitForURL('**/dashboard');
});

test('The menu opens screens in Urdu from right to left that fit the window.', async () => {
  const { page } = admin;
  for (const [path, heading] of [
    ['/view-images', 'تصاویر دیکھیں'],
    ['/upload', 'طبی تصویر اپ لوڈ کریں'],
    ['/messages', 'پیغامات'],
    ['/approve-provider', 'معالج کی منظوری'],
  ] as const) {
    await page.locator(`nav a[href="${path}"]`).first().click();
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await expect.poll(sticksOut).toBe(0);
  }
  // The menu is on the right, where a line of Urdu begins.
  const left = async () => (await page.getByRole('navigation', { name: 'مینو' }).boundingBox())?.x;
  await expect.poll(left).toBeGreaterThan(700);
});

test('Urdu fits a phone too, and the drawer switches the page back to English.', async () => {
  const { page } = admin;
  await page.setViewportSize({ width: 390, height: 844 });
  await visit(page, '/dashboard');
  await page.getByRole('heading', { name: /خوش آمدید/ }).waitFor();
  await expect.poll(sticksOut).toBe(0);
  await page.getByRole('button', { name: 'مزید' }).click();
  await page.getByRole('dialog').waitFor();
  await admin.shoot('urdu-drawer');
  await page.getByRole('button', { name: /English/ }).click();
  await page.getByRole('button', { name: 'Logout' }).first().waitFor();
  await page.locator('html[dir=ltr]').waitFor();
  // The browser stores the choice.
  await page.reload();
  await page.getByRole('heading', { name: /Welcome/ }).waitFor();
});

test('An idle user is asked in Urdu, and a click keeps the session.', async () => {
  const { page } = admin;
  // Pending requests count as activity too.
  await page.waitForLoadState('networkidle');
  const question = page.getByRole('alertdialog', { name: 'Are you still there?' });
  // Set the idle time as another tab reports it. A return to this tab would refetch its data, which counts as activity. So
  // does the answer to a request that began meanwhile: then the other tab reports again.
  const ask = () =>
    expect
      .poll(async () => {
        await page.evaluate(`
          localStorage.setItem('activity', String(Date.now() - ${28.1 * 60_000}));
          dispatchEvent(new StorageEvent('storage', { key: 'activity' }));
        `);
        return question.isVisible();
      })
      .toBe(true);
  await ask();
  faults.push(...(await admin.look('idle-warning')));
  const stay = page.getByRole('button', { name: 'Stay logged in' });
  // The answer may also come between the question and the click.
  await expect
    .poll(async () => {
      await ask();
      return stay.click({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    })
    .toBe(true);
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
});

test('The question in Urdu does not break WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect(admin.complaints).toEqual([]);
});
