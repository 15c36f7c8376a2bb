import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { enterProviders, Person, password, register } from './person.js';
import { visit } from './screens/judge.js';

/** A provider finds images again: by text, chip and patient, after a reload and Back, on a desktop and on a phone. */
const sana = { email: 'sana.find@example.org', username: 'sana.find', firstname: 'Sana', lastname: 'Rauf' };
const hina = { email: 'hina.find@example.org', username: 'hina.find', firstname: 'Hina', lastname: 'Farooqui' };
const demo = (name: string) => readFileSync(join(import.meta.dirname, '../../backend/assets/demo', name));
const files = {
  hand: { name: 'hand.jpg', mimeType: 'image/jpeg', buffer: demo('hand-xray.jpg') },
  report: { name: 'report.pdf', mimeType: 'application/pdf', buffer: demo('report.pdf') },
  chest: { name: 'chest.jpg', mimeType: 'image/jpeg', buffer: demo('chest-xray.jpg') },
};

let provider: Person;
let patient: Person;
let patientId = '';
const faults: string[] = [];

test.beforeAll(async ({ browser, shared }) => {
  await register(shared, hina, 'patient');
  patient = await Person.arrive(shared, browser, { ...hina, password });
  await patient.enter();
  patientId = (await patient.call<{ id: string }>('/users/profile')).id;
  [provider] = (await enterProviders(shared, browser, sana)) as [Person];
  await provider.upload('Left hand after a fall', files.hand);
  await provider.upload('Discharge summary', files.report);
  await provider.upload('Chest PA', files.chest, { patientId });
});

afterAll(async () => {
  await Promise.all([provider, patient].map((person) => person?.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await provider.shootFailure('failed-finding');
});

/** Waits until the gallery shows these captions and no other. */
const shows = (page: Page, ...captions: string[]) =>
  expect.poll(async () => (await page.locator('article h3').allTextContents()).sort()).toEqual(captions.sort());

test('A provider finds images by text and chip, and the search survives a reload and Back but not another tab.', async () => {
  const { page } = provider;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto('/view-images');
  await shows(page, 'Chest PA', 'Discharge summary', 'Left hand after a fall');
  await page.locator('article img').first().waitFor();

  await page.keyboard.press('/');
  await page.getByRole('searchbox').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('farooqui');
  await shows(page, 'Chest PA');
  await page.getByText('1 image found').waitFor({ state: 'attached' });
  faults.push(...(await provider.lookTwice('finding')));
  await page.reload();
  await shows(page, 'Chest PA');
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('farooqui');
  await page.getByRole('searchbox').press('Escape');
  await shows(page, 'Chest PA', 'Discharge summary', 'Left hand after a fall');

  await page.getByRole('button', { name: 'PDF', exact: true }).click();
  await shows(page, 'Discharge summary');
  await page.reload();
  await shows(page, 'Discharge summary');
  await page.getByRole('searchbox').fill('chest');
  await shows(page);
  const address = page.url();
  expect(address).not.toContain('chest');
  await page.getByRole('button', { name: 'Clear the search' }).first().click();
  await shows(page, 'Chest PA', 'Discharge summary', 'Left hand after a fall');
  await page.goBack();
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('chest');
  await shows(page);

  const other = await page.context().newPage();
  await other.goto(address);
  await shows(other, 'Discharge summary');
  await other.close();
  expect(asked.filter((url) => /farooqui|chest/i.test(decodeURIComponent(url)))).toEqual([]);
});

test('The images of one patient are in the gallery and on the patient’s profile, where a card opens.', async () => {
  const { page } = provider;
  await visit(page, '/view-images');
  await page.getByRole('combobox', { name: 'Patient' }).fill('Farooqui');
  await page.getByRole('option', { name: /Farooqui/ }).click();
  await shows(page, 'Chest PA');
  await page.reload();
  await shows(page, 'Chest PA');
  await page.getByRole('button', { name: 'Show all patients, not only Hina Farooqui' }).click();
  await shows(page, 'Chest PA', 'Discharge summary', 'Left hand after a fall');

  await visit(page, `/user-profile/${patientId}`);
  await page.getByRole('region', { name: 'Images', exact: true }).waitFor();
  await shows(page, 'Chest PA');
  faults.push(...(await provider.lookTwice('patient-images')));
  await page.getByRole('button', { name: 'Open Chest PA' }).click();
  await page.getByRole('dialog', { name: 'Chest PA' }).waitFor();
  await page.waitForURL(/image=/);
  await page.reload();
  await page.getByRole('dialog', { name: 'Chest PA' }).waitFor();
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('On a phone the filters are in a sheet, and the first picture begins in the first half of the screen.', async () => {
  const { page } = provider;
  await page.setViewportSize({ width: 390, height: 844 });
  await visit(page, '/view-images');
  await page.getByRole('button', { name: 'Uploaded Images' }).click();
  await shows(page, 'Discharge summary', 'Left hand after a fall');
  const top = async () => (await page.locator('article').first().boundingBox())?.y;
  await expect.poll(top).toBeLessThan(844 / 2);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'Filter' });
  await sheet.getByRole('button', { name: 'Pictures' }).click();
  await shows(page, 'Left hand after a fall');
  faults.push(...(await provider.look('finding-sheet')));
  await sheet.getByRole('button', { name: 'Show images' }).click();
  await sheet.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Filter (1)' }).waitFor();
});

test('The screens of this journey have no fault for assistive technology, and the console is silent.', () => {
  expect([...faults, ...provider.complaints]).toEqual([]);
});
