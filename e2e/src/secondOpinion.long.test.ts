import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { revokedMs, test } from './journey.js';
import { enterProviders, line, Person, password, register } from './person.js';
import { visit } from './screens/judge.js';

/** Two browsers: a provider signs a second opinion, withdraws it and signs again; its patient sees each change at once. */
const clinician = {
  email: 'rabia.saeed@example.org',
  username: 'rabia.saeed',
  firstname: 'Rabia',
  lastname: 'Saeed',
};
const reader = { email: 'hamid.noor@example.org', username: 'hamid.noor', firstname: 'Hamid', lastname: 'Noor' };
const caption = 'Hand for a second opinion';
/** Limit for a signed text to reach the patient's page, from the end of the signer's call: a second, if the machine is not busy. */
const signedMs = () => revokedMs() / 2;

let provider: Person;
let patient: Person;
let image = '';
const faults: string[] = [];

test.beforeAll(async ({ browser, shared: product }) => {
  const [entered] = await Promise.all([
    enterProviders(product, browser, clinician),
    register(product, reader, 'patient'),
  ]);
  [provider] = entered as [Person];
  patient = await Person.arrive(product, browser, { email: reader.email, password });
  await patient.enter();
  const { id: patientId } = await patient.call<{ id: string }>('/users/profile');
  const buffer = readFileSync(join(import.meta.dirname, '../../backend/assets/demo/hand-xray.jpg'));
  image = (await provider.upload(caption, { name: 'hand.jpg', mimeType: 'image/jpeg', buffer }, { patientId })).id;
  const mail = await patient.mailed('An image was shared with you');
  const body = { sharingRequestId: line(mail, 'Sharing id'), verificationCode: line(mail, 'Code') };
  await patient.call('/sharing/verify', 'POST', body);
});

afterAll(async () => {
  await Promise.all([provider, patient].map((person) => person?.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(
    Object.entries({ provider, patient }).map(([name, one]) => one.shootFailure(`failed-opinion-${name}`)),
  );
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const isIn = (page: Page, state: string) => page.locator(`[data-review=${state}]`).waitFor();
/** True in a page that shows these words. */
const shows = (words: string) => `document.querySelector('main')?.innerText.includes(${JSON.stringify(words)})`;

/** Signs the draft with these words, and returns the milliseconds until the patient's page shows them. */
async function sign(comment: string, description: string): Promise<number> {
  const { page } = provider;
  await press(page, 'Review and sign');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your comment').fill(comment);
  await dialog.getByLabel('Description').fill(description);
  const [answered, seen] = [provider.whenAnswered('POST'), patient.whenTrue(shows(comment))];
  await dialog.getByRole('button', { name: 'Sign', exact: true }).click();
  const took = (await seen) - (await answered);
  await isIn(page, 'signed');
  return took;
}

test('The patient reads the signed text within a second, with the signer’s name, and saves the report.', async () => {
  const [{ page }, other] = [provider, patient.page];
  await other.goto(`/ai-analysis/${image}`);
  await other.getByText('There is no second opinion to read').waitFor();
  await page.goto(`/ai-analysis/${image}`);
  await isIn(page, 'draft');
  faults.push(...(await patient.lookTwice('opinion-none')), ...(await provider.lookTwice('opinion-draft')));

  const took = await sign('The bones are whole.', 'A left hand from the front.');
  expect(took).toBeLessThan(signedMs());
  await other.getByText('Signed by Rabia Saeed').waitFor();
  await other.locator('main time').first().waitFor();
  await other.getByText('A left hand from the front.').waitFor();
  // From the text to the picture, and to the person who can answer.
  await other.getByRole('link', { name: 'Open in viewer' }).waitFor();
  await other.getByRole('link', { name: 'Ask Rabia' }).waitFor();
  faults.push(...(await patient.lookTwice('opinion-signed')), ...(await provider.lookTwice('opinion-versions')));

  const saved = other.waitForEvent('download');
  await press(other, 'Report (PDF)');
  const pdf = await readFile(await (await saved).path());
  expect(pdf.toString('latin1', 0, 5)).toBe('%PDF-');
});

test('A new run leaves the signed text to the patient until the next signature.', async () => {
  const [{ page }, other] = [provider, patient.page];
  await press(page, 'Run again');
  await isIn(page, 'draft');
  await page.getByText('The patient still reads the version that was signed before.').waitFor();
  await other.reload();
  await other.getByText('The bones are whole.').waitFor();
  const took = await sign('An old fracture has healed.', 'A left hand, with an old fracture.');
  expect(took).toBeLessThan(signedMs());
  await expect.poll(() => other.getByText('The bones are whole.').count()).toBe(0);
});

test('A withdrawal takes the text from the patient’s page at once, and a notice tells of it.', async () => {
  const [{ page }, other] = [provider, patient.page];
  await press(page, 'Withdraw');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('This was the other hand.');
  const gone = patient.whenTrue(shows('There is no second opinion to read'));
  const answered = provider.whenAnswered('POST');
  await dialog.getByRole('button', { name: 'Withdraw', exact: true }).click();
  expect((await gone) - (await answered)).toBeLessThan(signedMs());
  await expect.poll(() => other.getByText('An old fracture has healed.').count()).toBe(0);
  await isIn(page, 'withdrawn');
  await page.getByText('This was the other hand.').first().waitFor();

  await visit(other, '/view-images');
  await other.getByRole('button', { name: /^Notifications/ }).click();
  const notice = other.getByRole('link', { name: `The second opinion about ${caption} was withdrawn` });
  await notice.waitFor();
  faults.push(...(await patient.look('opinion-notices')));
  await notice.click();
  await other.waitForURL(`**/ai-analysis/${image}`);
  await other.getByText('There is no second opinion to read').waitFor();
  expect(faults).toEqual([]);
  expect([...provider.complaints, ...patient.complaints]).toEqual([]);
});
