import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { launchChromium } from './chromium.js';
import { line, Person } from './person.js';
import { type Product, startProduct } from './product.js';

let product: Product;
let browser: Browser;
let admin: Person;
const faults: string[] = [];

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), launchChromium()]);
  admin = await Person.arrive(product, browser, product.admin, { reducedMotion: 'reduce' });
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await admin.shoot('failed-languages');
});

const bothThemes = ['light', 'dark'] as const;

/** By day and by night; the page turns with the browser. */
async function look(name: string, themes: readonly ('light' | 'dark')[] = bothThemes): Promise<void> {
  for (const colorScheme of themes) {
    await admin.page.emulateMedia({ colorScheme });
    faults.push(...(await admin.look(`urdu-${name}-${colorScheme}`)));
  }
}

/** Nothing sticks out of the page at the side. */
const sticksOut = () => admin.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

test('somebody who reads Urdu finds it on the login page, and signs in by it', async () => {
  const { page } = admin;
  await page.goto('/login');
  await page.getByRole('button', { name: 'اردو' }).click();
  await page.getByRole('heading', { name: 'لاگ اِن' }).waitFor();
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
  expect(await page.locator('html').getAttribute('lang')).toBe('ur');
  await look('login');

  // A wrong password is said in Urdu, by its code.
  await page.getByLabel('ای میل').fill(admin.email);
  await page.getByLabel('پاس ورڈ', { exact: true }).fill('Not-The-Password-1');
  await page.getByRole('button', { name: 'لاگ اِن کریں', exact: true }).click();
  await page.getByText('ای میل یا پاس ورڈ درست نہیں۔').first().waitFor();

  await page.getByLabel('پاس ورڈ', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'لاگ اِن کریں', exact: true }).click();
  await page.waitForURL('**/verify-account');
  await look('verify-account', ['dark']);
  const code = line(await admin.mailed('Your verification code'), 'Code');
  await page
    .getByRole('textbox', { name: /ہندسہ 1/ })
    .first()
    .focus();
  await page.keyboard.type(code);
  await page.getByRole('button', { name: 'تصدیق کریں' }).click();
  await page.waitForURL('**/dashboard');
});

test('the main screens are Urdu from right to left, and nothing sticks out', async () => {
  const { page } = admin;
  for (const [path, heading, themes] of [
    ['/dashboard', /خوش آمدید/, bothThemes],
    ['/view-images', 'تصاویر دیکھیں', ['dark']],
    ['/upload', 'طبی تصویر اپ لوڈ کریں', ['light']],
    ['/messages', 'پیغامات', bothThemes],
    ['/approve-provider', 'معالج کی منظوری', ['dark']],
  ] as const) {
    await page.goto(path);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await look(path.slice(1), themes);
    expect(await sticksOut()).toBe(0);
  }
  // The menu stands at the right, where reading starts.
  const menu = await page.getByRole('navigation', { name: 'مینو' }).boundingBox();
  expect(menu?.x).toBeGreaterThan(700);
});

test('a phone fits it too, and the drawer turns the page back to English', async () => {
  const { page } = admin;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/dashboard');
  await page.getByRole('heading', { name: /خوش آمدید/ }).waitFor();
  expect(await sticksOut()).toBe(0);
  await page.getByRole('button', { name: 'مزید' }).click();
  await page.getByRole('dialog').waitFor();
  await admin.shoot('urdu-drawer');
  await page.getByRole('button', { name: /English/ }).click();
  await page.getByRole('button', { name: 'Logout' }).first().waitFor();
  expect(await page.locator('html').getAttribute('dir')).toBe('ltr');
  // The browser keeps the choice.
  await page.reload();
  await page.getByRole('heading', { name: /Welcome/ }).waitFor();
});

test('the quiet time is asked about, and a press keeps the session', async () => {
  const { page } = admin;
  // Calls that are still under way are activity too.
  await page.waitForLoadState('networkidle');
  // As another tab tells it: coming back to this one would read its screens again, and that is activity.
  await page.evaluate(`
    localStorage.setItem('activity', String(Date.now() - ${28.5 * 60_000}));
    dispatchEvent(new StorageEvent('storage', { key: 'activity' }));
  `);
  await page.getByRole('alertdialog', { name: 'Are you still there?' }).waitFor();
  faults.push(...(await admin.look('idle-warning')));
  await page.getByRole('button', { name: 'Stay logged in' }).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
});

test('no screen in Urdu breaks WCAG 2.2 AA, and no console complained', () => {
  expect(faults).toEqual([]);
  expect(admin.complaints).toEqual([]);
});
