import type { Browser } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { test } from './journey.js';
import { Person } from './person.js';
import { demoPeople, type OwnProduct, type Role, startProduct } from './product.js';
import { openScenes, uploadScenes } from './seed/open.js';
import { missing, type Scene } from './seed/scenes.js';
import { adminScenes, patientScenes, providerScenes } from './seed/signedIn.js';

/** Checks that the screens show the texts of the seed specification. */
let product: OwnProduct;
let browser: Browser;
const complaints: string[] = [];

test.beforeAll(async ({ browser: started }) => {
  browser = started;
  product = await startProduct({ demo: true });
});

afterAll(() => product?.stop());

async function play(role: Role | undefined, scenes: readonly Scene[]): Promise<string[]> {
  const account = role ? (await demoPeople(product))[role] : { email: '', password: '' };
  const options = { permissions: ['clipboard-read', 'clipboard-write'] };
  const person = await Person.arrive(product, browser, account, options);
  if (role) await person.enter();
  const faults = await missing(person.page, scenes);
  if (faults.length) await person.shootFailure(`failed-seed-${role ?? 'nobody'}`);
  complaints.push(...person.complaints);
  await person.page.context().close();
  return faults;
}

test('The screens without a session show the texts of the specification.', async () => {
  expect(await play(undefined, openScenes)).toEqual([]);
});

// This test runs before any message to the administrator exists.
test('The screens of an administrator show the texts of the specification.', async () => {
  expect(await play('admin', adminScenes)).toEqual([]);
});

test('The screens of a patient show the texts of the specification.', async () => {
  expect(await play('patient', patientScenes)).toEqual([]);
});

test('The screens of a provider show the texts of the specification.', async () => {
  expect(await play('healthProvider', [...providerScenes, ...uploadScenes])).toEqual([]);
});

test('The console shows no error and no warning.', () => {
  expect(complaints).toEqual([]);
});
