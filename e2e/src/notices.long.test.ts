import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectDatabase } from '@lightbox/core/db/connect.js';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { addProviders, enterProviders, Person, password } from './person.js';
import type { Product } from './product.js';
import { visit } from './screens/judge.js';

const wasim = { email: 'wasim.butt@example.org', username: 'wasim.butt', firstname: 'Wasim', lastname: 'Butt' };
const zone = 'Asia/Karachi';
let product: Product;
let owner: Person;
let reader: Person;
let readerId: string;
const faults: string[] = [];

test.beforeAll(async ({ browser, shared }) => {
  product = shared;
  const person = { email: 'bano.rehman@example.org', username: 'bano.rehman', firstname: 'Bano', lastname: 'Rehman' };
  await addProviders(product, person);
  [owner] = (await enterProviders(product, browser, wasim)) as [Person];
  reader = await Person.arrive(product, browser, { ...person, password }, { timezoneId: zone });
  await reader.enter();
  ({ id: readerId } = await reader.call<{ id: string }>('/users/profile'));
});
afterAll(() => Promise.all([owner, reader].map((person) => person?.leave())));
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await reader.shootFailure('failed-notices');
});

const buffer = readFileSync(join(import.meta.dirname, '../../backend/assets/demo/hand-xray.jpg'));
async function share(caption: string): Promise<void> {
  const { id } = await owner.upload(caption, { name: 'wrist.jpg', mimeType: 'image/jpeg', buffer });
  await owner.call('/sharing/request', 'POST', { imagemetadataId: id, createdfor: readerId });
}
const turn = async (name: string) => {
  await reader.page.getByRole('checkbox', { name }).focus();
  await reader.page.keyboard.press('Space');
};

test('A person finds the choices on the profile, and turns notices about shares off in the app by keyboard.', async () => {
  const { page } = reader;
  await page.goto('/profile');
  const settings = () => reader.call<{ timeZone: string; choices: object }>('/users/profile/notifications');
  await expect.poll(async () => (await settings()).timeZone).toBe(zone);
  await page.getByRole('link', { name: 'Choose notifications' }).click();
  await page.getByRole('group', { name: 'Shares and codes' }).waitFor();
  await turn('Shares and codes: In the app');
  await page.getByText('Saved.').waitFor();
  await share('Ankle, not announced');
  // The mail with the code always comes. The gallery has the image.
  expect(await reader.mailed('An image was shared with you')).toMatch(/Pakistan Standard Time.*Sharing id: /s);
  await turn('Shares and codes: In the app');
  await expect.poll(settings).toMatchObject({ choices: { shares: { app: true } } });
  await share('Ankle, announced');
  await page
    .getByText(/shared Ankle, announced/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();
  expect(await page.getByText(/not announced/).count()).toBe(0);
});

test('Quiet hours are saved when a time was typed, and are there after a reload.', async () => {
  const { page } = reader;
  await turn('No notifications on devices at certain hours');
  await page.getByLabel('From', { exact: true }).fill('21:15');
  await page.getByLabel('To', { exact: true }).focus();
  const quiet = async () => (await reader.call<{ quiet?: object }>('/users/profile/notifications')).quiet;
  await expect.poll(quiet).toEqual({ from: '21:15', to: '07:00' });
  await page.reload();
  await expect.poll(() => page.getByLabel('From', { exact: true }).inputValue()).toBe('21:15');
});

test('The daily summary arrives by mail, and its link leads to the choices.', async () => {
  const { page } = reader;
  await page.getByText('Every day', { exact: true }).click();
  const db = await connectDatabase({ mongodbUri: product.mongodbUri() });
  const users = db.collection('users');
  const chosen = () => users.findOne({ username: 'bano.rehman', nextDigestAt: { $exists: true } });
  await expect.poll(chosen).toBeTruthy();
  expect(await chosen()).toMatchObject({
    timeZone: await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'),
  });
  // The hour of the summary comes.
  await users.updateOne({ username: 'bano.rehman' }, { $set: { nextDigestAt: new Date(Date.now() - 1000) } });
  await db.collection('tasks').updateOne({ _id: 'enterDigests' as never }, { $set: { nextAt: new Date(0) } });
  await db.close();
  const mail = await reader.mailed('Your summary from Lightbox');
  expect(mail).toContain('You have not read: 1 share.');
  expect(mail).not.toMatch(/Ankle|Wasim|Bano/);
  const address = /turn them off: (\S+)/.exec(mail)?.[1] ?? '';
  await visit(page, new URL(address).pathname);
  const daily = page.getByRole('radio', { name: 'Every day' });
  await expect.poll(() => daily.isChecked()).toBe(true);
  await daily.focus();
  await page.keyboard.press('ArrowLeft');
  const chosenNow = () => reader.call<{ digest: string }>('/users/profile/notifications');
  await expect.poll(chosenNow).toMatchObject({ digest: 'off' });
});

test('The screen has no fault on a desktop, on a phone, in the dark and in Urdu, and the console is clean.', async () => {
  const { page } = reader;
  faults.push(...(await reader.lookTwice('notices')));
  await page.evaluate("localStorage.setItem('language', 'ur')");
  await page.reload();
  await page.getByRole('group').first().waitFor();
  faults.push(...(await reader.lookTwice('notices-urdu')));
  expect(faults).toEqual([]);
  expect(reader.complaints).toEqual([]);
});
