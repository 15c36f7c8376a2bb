import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from './chromium.js';
import { Person } from './person.js';
import { demoPeople, type Product, type Role, startProduct } from './product.js';
import { openScenes, uploadScenes } from './seed/open.js';
import { missing, type Scene } from './seed/scenes.js';
import { adminScenes, patientScenes, providerScenes } from './seed/signedIn.js';

/** The words of the specification, found by somebody who knows nothing else. */
let product: Product;
let browser: Browser;
const complaints: string[] = [];

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct({ demo: true }), launchChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

async function play(role: Role | undefined, scenes: readonly Scene[]): Promise<string[]> {
  const account = role ? (await demoPeople(product))[role] : { email: '', password: '' };
  const options = { permissions: ['clipboard-read', 'clipboard-write'], reducedMotion: 'reduce' as const };
  const person = await Person.arrive(product, browser, account, options);
  if (role) await person.enter();
  const faults = await missing(person.page, scenes);
  if (faults.length) await person.shoot(`failed-seed-${role ?? 'nobody'}`);
  complaints.push(...person.complaints);
  await person.page.context().close();
  return faults;
}

test('what needs no session says what the specification says', async () => {
  expect(await play(undefined, openScenes)).toEqual([]);
});

// Before anybody has written to the administrator.
test('what an administrator sees says it too', async () => {
  expect(await play('admin', adminScenes)).toEqual([]);
});

test('what a patient sees says it too', async () => {
  expect(await play('patient', patientScenes)).toEqual([]);
});

test('what a provider sees says it too', async () => {
  expect(await play('healthProvider', [...providerScenes, ...uploadScenes])).toEqual([]);
});

test('no console complained', () => {
  expect(complaints).toEqual([]);
});
