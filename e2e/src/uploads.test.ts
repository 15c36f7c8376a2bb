import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dicomPicture, element } from '@lightbox/testkit/part10.js';
import type { Page, Response } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { enterProviders, Person, password, register } from './person.js';
import { visit } from './screens/judge.js';

/** Many files, the tray on every screen, and uploads that go on after a reload. */
const mahnoor = {
  email: 'mahnoor.iqbal@example.org',
  username: 'mahnoor.iqbal',
  firstname: 'Mahnoor',
  lastname: 'Iqbal',
};
const iqra = { email: 'iqra.naz@example.org', username: 'iqra.naz', firstname: 'Iqra', lastname: 'Naz' };

let provider: Person;
let patient: Person;
const faults: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'lightbox-uploads-'));

/** The first element of a study: who and which examination. */
const study = (uid: string, instance: number, name: string) =>
  Buffer.concat([
    element(0x00100010, 'PN', name),
    element(0x0020000d, 'UI', `2.25.${uid}`),
    element(0x0020000e, 'UI', `2.25.${uid}1`),
    element(0x00200011, 'IS', '2'),
    element(0x00200013, 'IS', String(instance)),
  ]);

/** Writes the slices of a study into a folder, and returns the folder. */
function slices(name: string, uid: string, count: number, patientName: string, side = 64): string {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  for (let at = 1; at <= count; at += 1) {
    const pixels = Buffer.alloc(side * side * 2, at);
    const bytes = dicomPicture({ rows: side, columns: side, pixels }, study(uid, at, patientName));
    writeFileSync(join(place, `IM${String(at).padStart(4, '0')}`), bytes);
  }
  return place;
}

test.beforeAll(async ({ browser, shared }) => {
  [provider] = (await enterProviders(shared, browser, mahnoor)) as [Person];
  await register(shared, iqra, 'patient');
  patient = await Person.arrive(shared, browser, { ...iqra, password });
  await patient.enter();
});

afterAll(async () => {
  await Promise.all([provider?.leave({ close: true }), patient?.leave()]);
  rmSync(folder, { recursive: true, force: true });
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await provider.shootFailure('failed-uploads');
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' });

async function chooseFolder(path: string): Promise<void> {
  const { page } = provider;
  await visit(page, '/upload');
  const chooser = page.waitForEvent('filechooser');
  await button(page, 'Choose a folder').click();
  await (await chooser).setFiles(path);
}

async function choosePatient(name: string): Promise<void> {
  const box = provider.page.getByRole('combobox', { name: /Patient/ });
  await box.fill(name);
  await provider.page.getByRole('option', { name }).click();
  await expect.poll(() => box.inputValue()).toBe(name);
}

async function clearTray(): Promise<void> {
  await button(tray(provider.page) as unknown as Page, 'Clear the list').click();
  await tray(provider.page).waitFor({ state: 'detached' });
}

test('A folder becomes one study, and the tray follows the upload through the screens.', async () => {
  const { page } = provider;
  const place = slices('ct', '101', 12, 'MALIK^TEST');
  writeFileSync(join(place, 'readme.txt'), 'A viewer program.');
  writeFileSync(join(place, 'broken.png'), Buffer.from('\x89PNG\r\n\x1a\nbroken', 'latin1'));
  await chooseFolder(place);
  await page.getByText('1 series, 12 images').first().waitFor();
  await page.getByText('1 file left out').click();
  await page.getByText('Not a medical image: left out').waitFor();
  faults.push(...(await provider.lookTwice('upload-plan')));
  await button(page, 'Upload 13 files').click();

  // The screens change inside the app: the tray stays.
  await page.getByRole('link', { name: 'Messages' }).first().click();
  await page.waitForURL('**/messages**');
  await tray(page).getByText('12 files uploaded · 1 file needs you').first().waitFor();
  await tray(page)
    .locator('[data-upload=failed]', { hasText: 'broken.png' })
    .getByText(/^Invalid file type/)
    .waitFor();
  await page.getByRole('link', { name: 'View Images' }).first().click();
  await page.waitForURL('**/view-images');
  faults.push(...(await provider.lookTwice('upload-tray')));
  await clearTray();
  const { length } = await provider.call<unknown[]>('/upload/my-images?limit=50');
  expect(length).toBe(12);
});

test('A file that is stored already is told before it is sent.', async () => {
  const { page } = provider;
  await visit(page, '/upload');
  await page.locator('input[type=file]').setInputFiles(join(folder, 'ct', 'IM0003'));
  await page.getByLabel('Caption').fill('Once more');
  await button(page, 'Upload Image').click();
  await page.getByText('You have this file already').waitFor();
  faults.push(...(await provider.lookTwice('upload-known')));
  expect(await page.getByRole('link', { name: 'Open it' }).getAttribute('href')).toMatch(/image=[0-9a-f]{24}/);
});

test('Files of another patient are held until the person gives a reason for all of them.', async () => {
  const { page } = provider;
  await chooseFolder(slices('mr', '202', 3, 'KHAN^OMAR'));
  await page.getByText('In the files: KHAN, OMAR').waitFor();
  await choosePatient('Iqra Naz');
  await button(page, 'Upload 3 files').click();
  await button(page, 'Decide').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('KHAN, OMAR').waitFor();
  faults.push(...(await provider.lookTwice('upload-mismatch')));
  await dialog.getByRole('button', { name: 'Upload all the same' }).click();
  await dialog.getByText('Please write at least 3 characters.').waitFor();
  await dialog.getByLabel('Or say why this patient is right').fill('A phantom with the name of another person.');
  await dialog.getByRole('button', { name: 'Upload all the same' }).click();
  await tray(page).getByText('3 files uploaded').first().waitFor();
  await clearTray();
});

test('A typed patient who was not chosen is asked about, and the box goes on by keyboard.', async () => {
  const { page } = provider;
  await visit(page, '/upload');
  await page.locator('input[type=file]').setInputFiles(join(slices('us', '404', 1, 'KHAN^OMAR'), 'IM0001'));
  await page.getByLabel('Caption').fill('Abdomen');
  const box = page.getByRole('combobox', { name: /Patient/ });
  const fault = page.getByText('Choose the patient from the list, or empty this field.');
  await box.pressSequentially('iqra n');
  await page.getByRole('option', { name: 'Iqra Naz' }).waitFor();
  await button(page, 'Upload Image').click();
  await fault.waitFor();
  expect(await box.inputValue()).toBe('iqra n');
  faults.push(...(await provider.lookTwice('upload-patient-open')));
  await page.keyboard.type('az');
  await page.getByRole('option', { name: 'Iqra Naz' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await fault.waitFor({ state: 'detached' });
  expect(await box.inputValue()).toBe('Iqra Naz');
});

test('The form for one file leads back to the question about another patient that was closed.', async () => {
  const { page } = provider;
  await visit(page, '/upload');
  await page.locator('input[type=file]').setInputFiles(join(slices('us', '404', 1, 'KHAN^OMAR'), 'IM0001'));
  await page.getByLabel('Caption').fill('Abdomen');
  await choosePatient('Iqra Naz');
  await button(page, 'Upload Image').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('KHAN, OMAR').waitFor();
  await dialog.locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await button(page, 'Decide').waitFor();
  faults.push(...(await provider.lookTwice('upload-held')));
  await button(page, 'Decide').click();
  await dialog.getByRole('button', { name: 'Upload without a patient' }).click();
  await page.waitForURL('**/view-images**');
});

test('A large upload that a reload cuts off goes on with the same file, and this browser keeps no name.', async () => {
  const { page } = provider;
  const side = 2200;
  const place = slices('film', '303', 1, 'MALIK^TEST', side);
  const network = await page.context().newCDPSession(page);
  const throttle = (bytesPerSecond: number) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytesPerSecond,
    });
  await visit(page, '/upload');
  await page.locator('input[type=file]').setInputFiles([join(place, 'IM0001'), join(folder, 'ct', 'readme.txt')]);
  await page.getByText('1 series, 1 image').first().waitFor();
  const created: Response[] = [];
  page.on(
    'response',
    (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/tus') && created.push(answer),
  );
  // So slow that the pause comes before the end.
  await throttle(300_000);
  await button(page, 'Upload 1 file').click();
  await expect.poll(() => created.length).toBe(1);
  await button(page, 'Pause').click();
  await tray(page)
    .getByText(/^Paused/)
    .waitFor();
  await throttle(400_000);
  // The server still works on the piece that the pause cut off.
  const busy = { json: { message: 'No.', error: 'CONFLICT', requestId: 'r' }, status: 409 };
  let refused = 0;
  await page.route('**/upload/tus/*', (route) => {
    if (route.request().method() !== 'PATCH' || refused > 0) return route.fallback();
    refused += 1;
    return route.fulfill(busy);
  });
  await button(page, 'Continue').click();
  await expect
    .poll(() =>
      page
        .getByRole('progressbar', { name: /all uploads/ })
        .getAttribute('aria-valuenow')
        .then(Number),
    )
    .toBeGreaterThan(30);
  // The rest must not arrive before the page is loaded again.
  await throttle(50_000);

  // The browser asks before it leaves the page.
  let asked = 0;
  page.on('dialog', (dialog) => {
    asked += 1;
    void dialog.accept();
  });
  await page.reload();
  expect(asked).toBe(1);
  await throttle(-1);
  const { all } = await provider.kept();
  expect(all).toContain('/upload/tus/');
  for (const name of ['IM0001', 'MALIK']) expect(all).not.toContain(name);

  await button(page, 'Show the uploads').click();
  await tray(page).getByText('An upload was interrupted').first().waitFor();
  faults.push(...(await provider.lookTwice('upload-interrupted')));
  const chooser = page.waitForEvent('filechooser');
  await button(page, 'Choose the file').click();
  const resumed = page.waitForRequest((request) => request.method() === 'PATCH');
  await (await chooser).setFiles(join(place, 'IM0001'));
  expect(Number(await (await resumed).headerValue('upload-offset'))).toBeGreaterThan(0);
  await tray(page).getByText('1 file uploaded').first().waitFor();
  expect([refused, created.length]).toEqual([1, 1]);
  expect((await provider.kept()).all).not.toContain('/upload/tus/');
  const [newest] = await provider.call<{ size: number }[]>('/upload/my-images?limit=1');
  expect(newest?.size).toBeGreaterThan(side * side * 2);
  await clearTray();
});

test('No screen of the journey breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect(provider.complaints).toEqual([]);
});
