import { freePort } from '@lightbox/launcher/ports.js';
import type { Browser } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { test } from './journey.js';
import { line, Person } from './person.js';
import { type OwnProduct, startProduct } from './product.js';

/** The product as `npm start` runs it, with its own mail catcher. */
let product: OwnProduct;
let browser: Browser;

test.beforeAll(async ({ browser: started }) => {
  browser = started;
  const env = { SMTP_URL: '', MAIL_WEB_PORT: String(await freePort()) };
  product = await startProduct({ env });
});
afterAll(() => product?.stop());

test('A user signs in with the code from the inbox at the printed address.', async () => {
  const inbox = /read it at (\S+)/.exec(product.output())?.[1] ?? '';
  const user = await Person.arrive(product, browser, product.admin);
  const { page, email, password, complaints } = user;
  await page.goto('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.waitForURL('**/verify-account');

  const mails = await page.context().newPage();
  await mails.goto(inbox);
  // The list reloads by itself.
  await mails.getByRole('row', { name: email }).getByRole('link', { name: 'Your verification code' }).click();
  const code = line((await mails.locator('pre').textContent()) ?? '', 'Code');
  await page.bringToFront();
  await user.enterCode(code);
  await page.getByRole('button', { name: 'Logout' }).first().waitFor();
  expect(complaints).toEqual([]);
  await user.leave();
});

test('The inbox is at no other address.', async () => {
  const inbox = /read it at (\S+)/.exec(product.output())?.[1] ?? '';
  for (const path of ['/', '/api/email']) expect((await fetch(new URL(path, inbox))).status).toBe(401);
});
