import { join } from 'node:path';
import { connectDatabase } from '@lightbox/core/db/connect.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { accessEnded, revokedMs, test } from './journey.js';
import { choosePerson, enterAdministrator, enterProviders, line, Person, password } from './person.js';
import type { Product } from './product.js';
import { drawn, nothingDrawn } from './viewing.js';

/** Two browsers at once: a revocation in one removes the open picture in the other. */
const assets = join(import.meta.dirname, '../../backend/assets/demo');
const shazia = { email: 'shazia.mir@example.org', username: 'shazia.mir', firstname: 'Shazia', lastname: 'Mir' };
const nadia = { email: 'nadia.aslam@example.org', username: 'nadia.aslam', firstname: 'Nadia', lastname: 'Aslam' };
const omar = { email: 'omar.raza@example.org', username: 'omar.raza', firstname: 'Omar', lastname: 'Raza' };
/** A caption that no other journey uses, because the administrator of this journey sees all images. */
const caption = 'Right hand, after fall';

let product: Product;
let admin: Person;
let owner: Person;
let reader: Person;
/** People without an account: one with a phone, one with a keyboard. */
let guest: Person;
let other: Person;
const faults: string[] = [];

test.beforeAll(async ({ browser, shared }) => {
  product = shared;
  admin = await enterAdministrator(product, browser, shazia);
  [owner, reader] = (await enterProviders(product, browser, nadia, omar)) as [Person, Person];
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  guest = await Person.arrive(product, browser, { email: 'gp@village.example.org', password: '' }, phone);
  other = await Person.arrive(product, browser, { email: 'gp@village.example.org', password: '' });
});

afterAll(async () => {
  await Promise.all([admin, owner, reader, guest].map((person) => person?.leave()));
  await other?.leave({ close: true });
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(
    Object.entries({ admin, owner, reader, guest, other }).map(([name, one]) =>
      one.shootFailure(`failed-ends-${name}`),
    ),
  );
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

async function share(): Promise<void> {
  const { page } = owner;
  await button(page, `Share ${caption}`).click();
  const dialog = page.getByRole('dialog');
  await choosePerson(dialog, 'Omar', /Raza, Omar/);
  await dialog.getByRole('button', { name: /^Share with/ }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Enters the mailed code and opens the original picture, not only its preview. */
async function verifyAndOpen(n: number): Promise<void> {
  const { page } = reader;
  const mail = await reader.mailed('An image was shared with you', n);
  await button(page, `Verify ${caption}`).click();
  await page.getByRole('dialog').waitFor();
  await reader.enterCode(line(mail, 'Code'));
  await button(page, 'Open image').click();
  await page.locator('[role=dialog] img[src^="blob:"]').waitFor();
}

/** Expects no picture on the screen, and a refusal at its addresses. */
async function expectDark(imageId: string): Promise<void> {
  const { page } = reader;
  await page.getByRole('dialog').getByText('Access has ended', { exact: true }).waitFor();
  const pictures = page.locator('img[src^="blob:"], img[src^="data:image"]');
  await expect.poll(() => pictures.count()).toBe(0);
  for (const path of ['', '/content', '/preview']) {
    const status = await page.evaluate<number>(`
      fetch('/api/upload/image/${imageId}${path}', {
        headers: { Authorization: 'Bearer ' + JSON.parse(localStorage.getItem('root')).token },
      }).then(({ status }) => status)`);
    expect(status).toBe(404);
  }
}

let imageId = '';

test('A provider shares a picture with another, who opens it with the mailed code.', async () => {
  const { page } = owner;
  await page.goto('/upload');
  await page.locator('input[type=file]').setInputFiles(join(assets, 'hand-xray.jpg'));
  await page.getByLabel('Caption').fill(caption);
  await button(page, 'Upload Image').click();
  await page.waitForURL('**/view-images');
  await page.locator('main img[src^="data:image/webp"]').first().waitFor();
  imageId = (await page.locator('[data-image]').first().getAttribute('data-image')) ?? '';
  await reader.page.goto('/view-images');
  await share();
  await verifyAndOpen(1);
});

test('The owner’s open timeline updates, and an administrator learns why a person sees the image.', async ({
  browser,
}) => {
  const { page } = owner;
  await button(page, `Open ${caption}`).click();
  await button(page, 'Timeline').click();
  const drawer = page.getByRole('dialog', { name: 'Activity' });
  await drawer.getByText('Verify image').first().waitFor();
  const before = await drawer.getByText('Open original').count();
  // A new session: a repeated look of the same one is not in the timeline.
  const again = await Person.arrive(product, browser, { ...omar, password });
  await again.enter();
  await again.page.evaluate<unknown>(`
    fetch('/api/upload/image/${imageId}/content', {
      headers: { Authorization: 'Bearer ' + JSON.parse(localStorage.getItem('root')).token },
    }).then((answer) => answer.blob()).then(() => null)`);
  await again.leave();
  await drawer.getByText('Open original').nth(before).waitFor();
  // Use the button of the drawer, because a toast has one too.
  await drawer.getByRole('button', { name: 'Close' }).click();
  await drawer.waitFor({ state: 'detached' });

  // By its address: the administrator's list has the images of all journeys.
  await admin.page.goto(`/view-images?image=${imageId}&show=share`);
  await button(admin.page, 'Why can Omar Raza see this?').click();
  await admin.page.getByText('It was shared with them, and they entered the code.').waitFor();
  await admin.page.getByText('Cannot share it').waitFor();
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
});

test('A revocation removes the open picture in the recipient’s browser.', async () => {
  await button(owner.page, `Share ${caption}`).click();
  const revoke = button(owner.page, /^Revoke the access/);
  await revoke.waitFor();
  const [answered, ended] = [owner.whenAnswered('DELETE'), reader.whenTrue(accessEnded)];
  await revoke.click();
  const took = (await ended) - (await answered);
  await expectDark(imageId);
  expect(took).toBeLessThan(revokedMs());
  faults.push(...(await reader.lookTwice('share-ended')));
  await reader.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await owner.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
});

test('The expiry of a share removes the open picture at that moment.', async () => {
  await share();
  await button(reader.page, `Verify ${caption}`).waitFor();
  await verifyAndOpen(2);
  const db = await connectDatabase({ mongodbUri: product.mongodbUri() });
  const end = Date.now() + 3_000;
  await db.collection('shares').updateMany({ live: true, image: oid(imageId) }, { $set: { expiresAt: new Date(end) } });
  await db.close();
  const took = (await reader.whenTrue(accessEnded)) - end;
  await expectDark(imageId);
  expect(took).toBeGreaterThan(-100);
  expect(took).toBeLessThan(revokedMs());
});

/** Makes a guest link in the dialog of a share, and returns the code that the dialog shows. */
async function makeGuestLink(): Promise<string> {
  const { page } = owner;
  await button(page, `Share ${caption}`).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Make a guest link' }).click();
  await dialog.getByLabel(/^Email the link to/).fill(guest.email);
  await dialog.getByLabel(/^Note to the recipient/).fill('Please look at the fourth finger.');
  faults.push(...(await owner.look('guest-link-new')));
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  await dialog.getByText('The guest link is ready').waitFor();
  faults.push(...(await owner.look('guest-link-made')));
  return (
    (await dialog
      .locator('output')
      .filter({ hasText: /^\d{6}$/ })
      .textContent()) ?? ''
  );
}

test('A guest opens the mailed link with the told code, on a phone and by keyboard, and a revocation blanks both.', async () => {
  const code = await makeGuestLink();
  const mail = await guest.mailed('An image was shared with you');
  expect(mail).not.toContain(code);

  await guest.page.goto(line(mail, 'Link'));
  await guest.page.getByRole('heading', { name: 'Enter the code' }).waitFor();
  faults.push(...(await guest.look('guest-code-phone-light')));
  await guest.page.emulateMedia({ colorScheme: 'dark' });
  faults.push(...(await guest.look('guest-code-phone-dark')));
  await guest.page.getByRole('textbox', { name: /1 of 6|digit 1/i }).tap();
  await guest.atCode();
  await guest.page.keyboard.type(code);
  await guest.page.getByRole('button', { name: 'Open the image' }).tap();
  await drawn(guest.page).waitFor();
  faults.push(...(await guest.look('guest-viewer-phone')));
  for (const [name, dir] of [
    ['اردو', 'rtl'],
    ['English', 'ltr'],
  ]) {
    await button(guest.page, name ?? '').tap();
    await guest.page.locator(`html[dir=${dir}]`).waitFor();
    await drawn(guest.page).waitFor();
    // Letters of Urdu reach out of their line. A title that is cut at its end keeps their tops.
    const cut = await guest.page.evaluate(`getComputedStyle(document.querySelector('h1')).overflowY`);
    expect(cut).toBe(dir === 'rtl' ? 'visible' : 'hidden');
  }
  expect((await guest.kept()).root).toBeNull();
  expect(await guest.page.locator('meta[name=robots]').getAttribute('content')).toContain('noindex');

  await other.page.addInitScript(`localStorage.setItem('language', 'ur')`);
  await other.page.goto(line(mail, 'Link'));
  await other.page.locator('h1').waitFor();
  faults.push(...(await other.look('guest-code-wide')));
  await other.atCode();
  await other.page.keyboard.type(code);
  await other.page.keyboard.press('Enter');
  await drawn(other.page).waitFor();
  faults.push(...(await other.look('guest-viewer-wide')));

  const dialog = owner.page.getByRole('dialog');
  await dialog.getByText(/^2 of 10 opened/).waitFor();
  const [answered, blank] = [owner.whenAnswered('DELETE'), guest.whenTrue(nothingDrawn)];
  await dialog.getByRole('button', { name: /^Revoke the guest link/ }).click();
  expect((await blank) - (await answered)).toBeLessThan(revokedMs());
  await guest.page.getByText('The sender withdrew the link').waitFor();
  await guest.page.getByText(/fourth finger/).waitFor({ state: 'detached' });
  for (const { page } of [guest, other]) {
    await expect.poll(() => page.locator('canvas, img[src^="blob:"], img[src^="data:image"]').count()).toBe(0);
  }
  faults.push(...(await guest.look('guest-revoked-phone')));
  await guest.page.reload();
  await guest.page.getByRole('heading', { name: 'This link does not open' }).waitFor();
  faults.push(...(await guest.look('guest-ended-phone')));
});

test('No screen of the journey breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect([admin, owner, reader, guest, other].flatMap((person) => person.complaints)).toEqual([]);
});
