import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dicomPicture, element } from '@lightbox/testkit/part10.js';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { enterProviders, line, Person } from './person.js';
import { visit } from './screens/judge.js';

/** A provider asks, and somebody without an account sends a folder from a phone. */
const sana = { email: 'sana.qadir@example.org', username: 'sana.qadir', firstname: 'Sana', lastname: 'Qadir' };
const note = 'The CT of May, please.';

let asker: Person;
let sender: Person;
/** A second tab of the sender. */
let other: Person;
let folder = '';
const faults: string[] = [];

test.beforeAll(async ({ browser, shared }) => {
  [asker] = (await enterProviders(shared, browser, sana)) as [Person];
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const nobody = { email: 'reception@village.example.org', password: '' };
  sender = await Person.arrive(shared, browser, nobody, phone);
  other = await Person.arrive(shared, browser, nobody);
  folder = mkdtempSync(join(tmpdir(), 'lightbox-disc-'));
  for (const n of [1, 2, 3]) {
    const header = Buffer.concat([
      element(0x0020000d, 'UI', '2.25.88001'),
      element(0x0020000e, 'UI', '2.25.88001.1'),
      element(0x00200013, 'IS', String(n)),
    ]);
    writeFileSync(join(folder, `IM0000${n}`), dicomPicture({}, header));
  }
  writeFileSync(join(folder, 'README.txt'), 'A viewer program is on this disc.');
});

afterAll(async () => {
  await Promise.all([asker, sender, other].map((person) => person?.leave()));
  rmSync(folder, { recursive: true, force: true });
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(
    Object.entries({ asker, sender, other }).map(([name, one]) => one.shootFailure(`failed-request-${name}`)),
  );
});

let url = '';

test('A provider asks for images: the dialog shows the link once, and the mail carries it without any name.', async () => {
  const { page } = asker;
  await page.goto('/view-images');
  await page.getByRole('button', { name: 'Ask for an image' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('A folder or disc').click();
  await dialog.getByLabel(/^Email the link to/).fill(sender.email);
  await dialog.getByLabel(/^Note to the sender/).fill(note);
  faults.push(...(await asker.lookTwice('request-ask')));
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  await dialog.getByText('The link is ready').waitFor();
  faults.push(...(await asker.look('request-made')));
  url = (await dialog.locator('output').textContent()) ?? '';
  const mail = await sender.mailed('You were asked for an image');
  expect(line(mail, 'Link')).toBe(url);
  expect(mail).not.toMatch(/Sana|Qadir|CT of May/);
  await dialog.getByRole('link', { name: 'Your requests' }).click();
  await page.getByText('Waiting', { exact: true }).waitFor();
  faults.push(...(await asker.lookTwice('request-list')));
});

test('Somebody without an account sends a folder from a phone, once; a second tab says so.', async () => {
  const { page } = sender;
  await page.goto(url);
  await page.getByRole('heading', { name: 'Sana Qadir asks you for images' }).waitFor();
  await page.getByText(note).waitFor();
  expect(await page.locator('meta[name=robots]').getAttribute('content')).toContain('noindex');
  await other.page.goto(url);
  await other.page.getByRole('heading', { name: /asks you for images/ }).waitFor();
  faults.push(...(await sender.look('request-send-phone')), ...(await other.look('request-send-desk')));
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a folder' }).tap();
  await (await choosing).setFiles(folder);
  await page.getByText(/^3 files,/).waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  faults.push(...(await sender.look('request-chosen-phone-dark')));
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Send', exact: true }).tap();
  await page.getByText('The connection is lost. Sending goes on by itself.').waitFor();
  faults.push(...(await sender.look('request-offline-phone-dark')));
  await page.context().setOffline(false);
  await page.getByText('Sana Qadir will look at it.').waitFor();
  faults.push(...(await sender.look('request-sent-phone-dark')));
  expect((await sender.kept()).root).toBeNull();
  await other.page.reload();
  await other.page.getByText('The images were sent').waitFor();
  faults.push(...(await other.look('request-used-up')));
});

test('The provider is told at once, looks at the study, and takes it: then it is in the gallery.', async () => {
  const { page } = asker;
  await page.getByText('Received', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Notifications/ }).click();
  await page.locator('[data-notice]').first().click();
  await page.getByRole('heading', { name: 'Received images' }).waitFor();
  const study = page.getByRole('link', { name: /^Look at/ });
  await page.locator('main img').first().waitFor();
  faults.push(...(await asker.lookTwice('request-received')));
  await study.click();
  await page.locator('[data-viewport][data-state=drawn]').first().waitFor();
  expect(await page.getByRole('button', { name: /^(Download|Share)/ }).count()).toBe(0);
  await page.goBack();
  await visit(page, '/view-images');
  await page.getByText('1 request was answered').waitFor({ state: 'attached' });
  expect(await page.locator('[data-image]').count()).toBe(0);
  await page.goBack();
  await page.getByRole('button', { name: 'Take the images' }).click();
  await page.waitForURL('**/view-images');
  await page.locator('article').getByText('3 images').waitFor();
  faults.push(...(await asker.look('request-taken')));
});

test('The screens are accessible, fit a phone and complain about nothing.', () => {
  expect(faults).toEqual([]);
  expect([asker, sender, other].flatMap((person) => person.complaints)).toEqual([]);
});
