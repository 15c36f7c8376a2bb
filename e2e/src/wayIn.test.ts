import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whenBusy } from '@lightbox/testkit/busy.js';
import type { BrowserContextOptions } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { asAdministrator, enterProviders, line, Person, password, register, type Uploaded } from './person.js';
import type { Product } from './product.js';
import { visit } from './screens/judge.js';

/** New patients with a mail in hand: from its link to the open picture, by touch, by keyboard, and after wrong codes. */
const sana = { email: 'sana.way@example.org', username: 'sana.way', firstname: 'Sana', lastname: 'Qureshi' };
const file = readFileSync(join(import.meta.dirname, '../../backend/assets/demo/hand-xray.jpg'));
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const shared = 'An image was shared with you';
const signIn = 'Your verification code';

let provider: Person;
const settings: string[] = [];
const people: Person[] = [];
const faults: string[] = [];

test.beforeAll(async ({ browser, shared: product }) => {
  for (const body of [
    { name: 'clinic.name', value: 'City Clinic' },
    { name: 'clinic.phone', value: '+92 21 111 222' },
  ]) {
    settings.push((await asAdministrator(product)<{ id: string }>('POST', '/appsetting/add', body)).id);
  }
  [provider] = (await enterProviders(product, browser, sana)) as [Person];
});

test.afterAll(async ({ shared: product }) => {
  for (const id of settings) await asAdministrator(product)('DELETE', '/appsetting/delete', { id });
  await Promise.all([provider, ...people].map((person) => person?.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all([provider, ...people].map((person, i) => person.shootFailure(`failed-way-in-${i}`)));
});

const image = (caption: string): Promise<Uploaded> =>
  provider.upload(caption, { name: 'hand.jpg', mimeType: 'image/jpeg', buffer: file });

/** Registers a patient, who has confirmed the address but is not signed in on this phone. */
async function newPatient(product: Product, person: Person, username: string): Promise<string> {
  await register(product, { email: person.email, username, firstname: 'Hina', lastname: 'Farooq' }, 'patient');
  await person.enter();
  const { id } = await person.call<{ id: string }>('/users/profile');
  await person.page.evaluate('localStorage.clear()');
  await person.page.context().clearCookies();
  return id;
}

const share = (imagemetadataId: string, createdfor: string) =>
  provider.call<{ id: string }>('/sharing/request', 'POST', { imagemetadataId, createdfor });

async function pasteCode(person: Person, text: string): Promise<void> {
  const { page } = person;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await person.atCode();
  await page.keyboard.press('ControlOrMeta+V');
}

/** Counts the milliseconds in which no request is under way. */
function withoutNetwork({ page }: Person): () => number {
  const begun = Date.now();
  let [under, busy, since] = [0, 0, begun];
  page.on('request', () => {
    if (under++ === 0) since = Date.now();
  });
  const end = () => {
    if (under > 0 && --under === 0) busy += Date.now() - since;
  };
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  return () => Date.now() - begun - busy;
}

test('A new patient opens the picture from the link of the mail, by touch and with one code besides the sign-in.', async ({
  browser,
  shared: product,
}) => {
  const patient = await Person.arrive(product, browser, { email: 'hina.touch@example.org', password }, phone);
  people.push(patient);
  const { page } = patient;
  const recipient = await newPatient(product, patient, 'hina.touch');
  const { id } = await share((await image('Left hand')).id, recipient);
  const mail = await patient.mailed(shared);
  const mark = `Share ${id.slice(-4).toUpperCase()}`;
  expect(mail).toContain('City Clinic shared an image with you.');
  expect(mail).toContain(mark);
  const time = withoutNetwork(patient);

  await page.goto(line(mail, 'Link'));
  await page.getByLabel('Email').fill(patient.email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByText('City Clinic').first().waitFor();
  faults.push(...(await patient.look('way-in-login')));
  await page.getByRole('button', { name: 'Login' }).tap();
  await page.waitForURL('**/verify-account');
  const code = line(await patient.mailed(signIn, 3), 'Code');
  await pasteCode(patient, `Code: ${code.slice(0, 3)} ${code.slice(3)}`);
  await page.getByRole('button', { name: 'Verify', exact: true }).tap();

  const dialog = page.getByRole('dialog', { name: 'Verify Image' });
  await dialog.getByText(mark, { exact: true }).waitFor();
  await expect.poll(() => dialog.getByLabel('Enter Image Sharing Id:').inputValue()).toBe(id);
  faults.push(...(await patient.look('way-in-code')));
  await pasteCode(patient, `${line(mail, 'Code')} \n`);
  await dialog.getByRole('button', { name: 'Verify', exact: true }).tap();
  await page.getByRole('button', { name: 'Open image' }).tap();
  await page.locator('[role=dialog] img[src^="blob:"], [data-viewport][data-state=drawn]').first().waitFor();
  expect(time()).toBeLessThan(whenBusy(30_000));
  expect(page.context().pages()).toHaveLength(1);
});

test('A patient who locked a share sees it, gets a new code and opens the picture, by keyboard.', async ({
  browser,
  shared: product,
}) => {
  const patient = await Person.arrive(product, browser, { email: 'hina.keys@example.org', password }, phone);
  people.push(patient);
  const { page } = patient;
  const recipient = await newPatient(product, patient, 'hina.keys');
  const hand = await image('Right hand');
  const [one, other] = [await share(hand.id, recipient), await share((await image('Foot')).id, recipient)];
  const mails = await product.mailbox.waitFor(patient.email, shared, 2);
  const mailOf = (id: string) => mails.find(({ text }) => line(text, 'Sharing id') === id)?.text ?? '';
  await patient.enter();
  await page.goto(line(mailOf(one.id), 'Link'));

  const dialog = page.getByRole('dialog', { name: 'Verify Image' });
  await dialog.waitFor();
  await pasteCode(patient, line(mailOf(other.id), 'Code'));
  await page.keyboard.press('Enter');
  await dialog
    .getByText(`This code belongs to Share ${other.id.slice(-4).toUpperCase()}. 4 tries left here.`)
    .first()
    .waitFor();
  faults.push(...(await patient.look('way-in-other')));
  const right = line(mailOf(one.id), 'Code');
  const wrong = right === '000000' ? '000001' : '000000';
  for (let left = 3; left >= 0; left--) {
    await patient.atCode();
    await page.keyboard.type(wrong);
    await page.keyboard.press('Enter');
    await dialog
      .getByText(left ? `${left} ${left === 1 ? 'try' : 'tries'} left.` : 'This image is locked.')
      .first()
      .waitFor();
  }
  faults.push(...(await patient.look('way-in-locked')));

  // The owner is notified, and sees the lock in the list of access.
  await expect
    .poll(async () => (await provider.call<{ kind: string }[]>('/notifications')).map(({ kind }) => kind))
    .toContain('share.locked');
  await provider.page.goto(`/view-images?image=${hand.id}&show=share`);
  await provider.page.getByRole('dialog').getByText('Locked', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('article', { hasText: 'Right hand' }).getByText('Locked', { exact: true }).waitFor();
  await page.locator('article', { hasText: 'Right hand' }).getByRole('link', { name: 'Ask Sana' }).waitFor();
  faults.push(...(await patient.look('way-in-cards')));

  await page.getByRole('button', { name: 'Verify Right hand' }).focus();
  await page.keyboard.press('Enter');
  // The product moves the focus into the dialog, and would take it back from the button.
  await expect.poll(() => page.evaluate(`Boolean(document.activeElement.closest('[role=dialog]'))`)).toBe(true);
  await dialog.getByRole('button', { name: 'Send the code again' }).focus();
  await page.keyboard.press('Enter');
  const fresh = line(await patient.mailed(shared, 3), 'Code');
  await provider.page.getByRole('dialog').getByText('Locked', { exact: true }).waitFor({ state: 'detached' });
  await dialog.getByText(/^We are emailing a new code to/).waitFor();
  await page.getByRole('textbox', { name: 'Digit 1 of 6' }).focus();
  await page.keyboard.type(fresh);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Open image' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('[role=dialog] img[src^="blob:"], [data-viewport][data-state=drawn]').first().waitFor();
});

test('“Ask” opens the chat with a first sentence, and mails follow the language that the patient chose.', async () => {
  const patient = people[1] as Person;
  const { page } = patient;
  await visit(page, '/view-images');
  await page.getByRole('button', { name: 'Verify Foot' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Ask Sana' }).click();
  await expect
    .poll(() => page.getByRole('textbox', { name: /Message to Sana/ }).inputValue())
    .toMatch(/^Hello, I need a new code for Share [0-9A-F]{4}\.$/);
  expect(page.url()).toMatch(/\/messages\?chat=[0-9a-f]{24}$/);

  await page.evaluate(`localStorage.setItem('language', 'ur')`);
  await page.goto('/view-images');
  await expect.poll(async () => (await patient.call<{ language: string }>('/users/profile')).language).toBe('ur');
  const { id } = await patient.call<{ id: string }>('/users/profile');
  await share((await image('Knee')).id, id);
  const mail = await patient.mailed('آپ کے ساتھ ایک تصویر شیئر ہوئی');
  expect(line(mail, 'Sharing id')).toMatch(/^[0-9a-f]{24}$/);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(line(mail, 'Link'));
  await page.getByRole('dialog').waitFor();
  faults.push(...(await patient.look('way-in-code-urdu')));
});

test('The screens on the way have no faults that axe finds, and no errors in the console.', () => {
  expect(faults).toEqual([]);
  expect(people.flatMap(({ complaints }) => complaints)).toEqual([]);
});
