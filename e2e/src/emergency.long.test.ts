import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectDatabase } from '@lightbox/core/db/connect.js';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { revokedMs, test } from './journey.js';
import { enterAdministrator, enterProviders, line, Person, password, register } from './person.js';
import type { Product } from './product.js';
import { visit } from './screens/judge.js';
import { drawn, nothingDrawn } from './viewing.js';

/** People who see the images of a patient without a share: in an emergency, and as a carer. */
const assets = join(import.meta.dirname, '../../backend/assets/demo');
const farah = { email: 'farah.mir@example.org', username: 'farah.mir', firstname: 'Farah', lastname: 'Mir' };
const saima = { email: 'saima.aslam@example.org', username: 'saima.aslam', firstname: 'Saima', lastname: 'Aslam' };
const omar = { email: 'omar.farooq@example.org', username: 'omar.farooq', firstname: 'Omar', lastname: 'Farooq' };
const hira = { email: 'hira.khan@example.org', username: 'hira.khan', firstname: 'Hira', lastname: 'Khan' };
const bilal = { email: 'bilal.khan@example.org', username: 'bilal.khan', firstname: 'Bilal', lastname: 'Khan' };
const emergencyCaption = 'Skull, lateral';
const why = 'Unconscious after a fall';

let product: Product;
let admin: Person;
let owner: Person;
let reader: Person;
let patient: Person;
let carer: Person;
const faults: string[] = [];

test.beforeAll(async ({ browser, shared }) => {
  product = shared;
  admin = await enterAdministrator(product, browser, farah);
  [owner, reader] = (await enterProviders(product, browser, saima, omar)) as [Person, Person];
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  patient = await Person.arrive(product, browser, { ...hira, password });
  carer = await Person.arrive(product, browser, { ...bilal, password }, phone);
  for (const person of [hira, bilal]) await register(product, person, 'patient');
});

afterAll(() => Promise.all([admin, owner, reader, patient, carer].map((person) => person?.leave())));

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(
    Object.entries({ admin, owner, reader, patient, carer }).map(([name, one]) =>
      one.shootFailure(`failed-emergency-${name}`),
    ),
  );
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

test('In an emergency a provider opens a patient’s images: the patient and an administrator are told at once.', async () => {
  await patient.enter();
  const { id } = await patient.call<{ id: string }>('/users/profile');
  const file = { name: 'hand.jpg', mimeType: 'image/jpeg', buffer: readFileSync(join(assets, 'hand-xray.jpg')) };
  await owner.upload(emergencyCaption, file, { patientId: id });
  await admin.call('/appsetting/add', 'POST', { name: 'access.breakGlass', value: 'yes' });
  await Promise.all([patient.page.goto('/view-images'), admin.page.goto('/admin-dashboard')]);

  const { page } = reader;
  await visit(page, `/user-profile/${id}`);
  await button(page, 'Open the images in an emergency').click();
  await page.getByLabel('Reason').fill(why);
  faults.push(...(await reader.look('emergency-sheet')));
  await button(page, 'Open for one hour').click();
  // On a slow machine the page of the patient may still connect: then the notice is in the bell, and not announced.
  const told = patient.page.getByText('Omar Farooq opened your images in an emergency');
  await patient.page.getByRole('button', { name: /^Notifications, [1-9]/ }).waitFor();
  await patient.page.getByRole('button', { name: /^Notifications/ }).click();
  await Promise.all([
    page.getByText(/^Emergency access ends in/).waitFor(),
    told.filter({ visible: true }).first().waitFor(),
    admin.page.getByRole('heading', { name: 'Emergency accesses to review' }).waitFor(),
  ]);
  for (const mail of await Promise.all([
    patient.mailed('Your images were opened in an emergency'),
    admin.mailed('An emergency access to review'),
  ])) {
    expect(mail).not.toMatch(/Omar|Farooq|Unconscious|hand/i);
  }
  await page.getByRole('link', { name: new RegExp(emergencyCaption) }).waitFor();
  faults.push(...(await reader.lookTwice('emergency-profile')));
  await visit(patient.page, '/emergency-access');
  await patient.page.getByText(`Reason: ${why}`).waitFor();
  faults.push(...(await patient.lookTwice('emergency-patient')));
});

test('After the hour the open viewer goes blank; then an administrator questions and approves the access.', async () => {
  const { page } = reader;
  await page.getByRole('link', { name: new RegExp(emergencyCaption) }).click();
  await drawn(page).waitFor();
  const db = await connectDatabase({ mongodbUri: product.mongodbUri() });
  const end = Date.now() + 2_000;
  await db.collection('emergencies').updateMany({ live: true }, { $set: { until: new Date(end) } });
  await db.close();
  expect((await reader.whenTrue(nothingDrawn)) - end).toBeLessThan(revokedMs());
  await expect.poll(() => page.locator('canvas, img[src^="blob:"], img[src^="data:image"]').count()).toBe(0);

  await admin.page.getByRole('link', { name: 'Review emergency accesses' }).click();
  await button(admin.page, /^Details of the emergency access/).click();
  const panel = admin.page.getByRole('dialog', { name: 'Emergency access' });
  await panel.getByRole('link', { name: emergencyCaption }).waitFor();
  faults.push(...(await admin.look('emergency-review')));
  await panel.getByRole('button', { name: 'Question' }).click();
  await admin.page.getByLabel('Your question').fill('Who asked you to look?');
  await admin.page.getByRole('dialog').last().getByRole('button', { name: 'Question' }).click();
  await panel.getByText('Questioned').waitFor();

  await visit(page, '/emergency-access');
  await button(page, /^Details of the emergency access/).click();
  await page.getByText('Who asked you to look?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Answer' }).click();
  await page.getByLabel('Your answer').fill('The ambulance.');
  await page.getByRole('dialog').last().getByRole('button', { name: 'Answer' }).click();

  await panel.getByText('The ambulance.').waitFor();
  await panel.getByRole('button', { name: 'Approve' }).click();
  await admin.page
    .getByRole('dialog', { name: 'Approve this access?' })
    .getByRole('button', { name: 'Approve' })
    .click();
  await page.getByRole('dialog').getByText('Approved').first().waitFor();
  // Nothing is left to do, so the notices count as read.
  const unread = async () =>
    (await admin.call<{ kind: string }[]>('/notifications?unread=true')).filter(({ kind }) => /^emergency/.test(kind));
  await expect.poll(unread).toEqual([]);
  const [setting] = (await admin.call<{ id: string; name: string }[]>('/appsetting')).filter(
    ({ name }) => name === 'access.breakGlass',
  );
  await admin.call('/appsetting/delete', 'DELETE', { id: setting?.id });
});

test('A carer with a phone sees what the patient has opened, until the patient ends it.', async () => {
  const mail = await patient.mailed('An image was shared with you');
  const opened = { sharingRequestId: line(mail, 'Sharing id'), verificationCode: line(mail, 'Code') };
  await patient.call('/sharing/verify', 'POST', opened);
  // An account that was never used is not told: its address is not confirmed.
  await carer.enter();
  await visit(patient.page, '/profile/carers');
  await patient.page.getByLabel('Email address').fill(bilal.email);
  await button(patient.page, 'Name as carer').click();
  await patient.page.getByText(/^Your invitation waits/).waitFor();
  faults.push(...(await patient.lookTwice('carers')));

  expect(await carer.mailed('Somebody asks for your help')).not.toMatch(/Hira|Khan|Skull/i);
  const { page } = carer;
  await page.goto('/profile/carers');
  await button(page, 'Accept').click();
  await patient.page.getByText(/^Since /).waitFor();
  await page.getByRole('link', { name: 'See the images' }).click();
  await page.getByRole('heading', { name: 'Images of Hira Khan' }).waitFor();
  await page.getByText('As carer').first().waitFor();
  faults.push(...(await carer.lookTwice('carer-images-phone')));
  const [{ id = '' } = {}] = await patient.call<{ id: string }[]>('/upload/shared-images');
  await visit(page, `/viewer/${id}`);
  await drawn(page).waitFor();

  await button(patient.page, 'End: Bilal Khan').click();
  const [answered, blank] = [patient.whenAnswered('POST'), carer.whenTrue(nothingDrawn)];
  await patient.page.getByRole('alertdialog').getByRole('button', { name: 'End' }).click();
  expect((await blank) - (await answered)).toBeLessThan(revokedMs());
  await carer.mailed('The access of a carer ended');
});

test('No screen of the journey breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect([admin, owner, reader, patient, carer].flatMap((person) => person.complaints)).toEqual([]);
});
