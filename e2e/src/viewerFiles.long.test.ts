import { connectDatabase } from '@lightbox/core/db/connect.js';
import { oid } from '@lightbox/core/db/ids.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { afterAll, afterEach, expect } from 'vitest';
import { revokedMs, test } from './journey.js';
import { enterProviders, line, Person, password, type Uploaded } from './person.js';
import type { Product } from './product.js';
import { visit } from './screens/judge.js';
import { blank, panes, pdf, press, shows } from './viewing.js';

/** The viewer with several files, with documents, with files that the browser cannot draw, and at the end of an access. */
const sadia = { email: 'sadia.khan@example.org', username: 'sadia.khan', firstname: 'Sadia', lastname: 'Khan' };
const kamran = { email: 'kamran.ali@example.org', username: 'kamran.ali', firstname: 'Kamran', lastname: 'Ali' };

let product: Product;
let owner: Person;
let reader: Person;
/** A browser whose requests the test answers in place of the server. */
let hindered: Person;
const faults: string[] = [];
let slice: Uploaded;
let letter: Uploaded;

test.beforeAll(async ({ browser, shared }) => {
  product = shared;
  [owner, reader] = (await enterProviders(product, browser, sadia, kamran)) as [Person, Person];
  hindered = await Person.arrive(product, browser, { ...sadia, password }, { serviceWorkers: 'block' });
  await hindered.enter();
  letter = await upload('Letter', pdf('Left kidney', 'Spleen', 'Right kidney'), 'application/pdf');
  slice = await upload('Liver', phantom({ study: '3' }));
});

afterAll(async () => {
  await Promise.all([owner, reader, hindered].map((person) => person?.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(
    Object.entries({ owner, reader, hindered }).map(([name, one]) => one.shootFailure(`failed-file-${name}`)),
  );
});

const upload = (caption: string, buffer: Buffer, mimeType = 'application/dicom') =>
  owner.upload(caption, { name: 'file', mimeType, buffer });

test('The next and the previous image of the list open by key and by button.', async () => {
  const { page } = owner;
  await page.goto('/view-images');
  await page.locator('article', { hasText: 'Liver' }).getByRole('link').first().click();
  await shows(page, { image: slice.id });
  await panes(page).first().focus();
  await page.keyboard.press(']');
  await shows(page, { image: letter.id });
  await page.getByRole('button', { name: 'Previous image' }).click();
  await shows(page, { image: slice.id });
});

test('Two series beside each other are scrolled together, by the place of their slices in the body.', async () => {
  const { page } = owner;
  const images: Uploaded[] = [];
  for (let i = 0; i < 5; i++) images.push(await upload('Thin', phantom({ study: '4', instance: i + 1, z: i * 3 })));
  for (let i = 0; i < 3; i++) {
    images.push(await upload('Thick', phantom({ study: '4', series: 2, instance: i + 1, z: i * 6 })));
  }
  await visit(page, `/viewer/study/${images[0]?.studyId}`);
  await shows(page, { frame: 1, frames: 5 });
  await press(page, 'Compare');
  await shows(page, { frame: 1, frames: 3 }, 1);
  await panes(page).first().focus();
  await page.keyboard.press('ArrowDown');
  await shows(page, { frame: 2 });
  await page.keyboard.press('ArrowDown');
  await shows(page, { frame: 2, image: images[6]?.id ?? '' }, 1);
  await page.keyboard.press('End');
  await shows(page, { frame: 5 });
  await shows(page, { frame: 3 }, 1);
  await panes(page).nth(1).focus();
  await page.keyboard.press('Home');
  await shows(page, { frame: 1 });
  await page.getByText('Scroll together').click();
  await panes(page).nth(1).focus();
  await page.keyboard.press('End');
  await shows(page, { frame: 3 }, 1);
  await shows(page, { frame: 1 });
});

test('A document has pages, zoom and a search in its text.', async () => {
  const { page } = owner;
  await visit(page, `/viewer/${letter.id}`);
  await shows(page, { frame: 1, frames: 3, zoom: 1 });
  await press(page, 'Next page');
  await shows(page, { frame: 2 });
  await panes(page).first().focus();
  await page.keyboard.press('PageDown');
  await shows(page, { frame: 3 });
  await press(page, 'Zoom in');
  await shows(page, { frame: 3, zoom: 1.25 });
  const search = page.getByRole('searchbox', { name: 'Find in the document' });
  await search.fill('spleen');
  await shows(page, { frame: 2 });
  await page.getByText('Found on 1 page', { exact: true }).waitFor();
  await search.fill('kidney');
  await page.getByText('Found on 2 pages', { exact: true }).waitFor();
  await shows(page, { frame: 1 });
  await search.press('Enter');
  await shows(page, { frame: 3 });
  await search.fill('pancreas');
  await page.getByText('Not found', { exact: true }).waitFor();
  faults.push(...(await owner.lookTwice('viewer-document')));
});

test('The server draws the pages of a document when the browser’s library fails.', async () => {
  const { page } = hindered;
  await page.route(/pdf\.worker/, (route) => route.abort());
  await page.goto(`/viewer/${letter.id}`);
  await page.getByRole('img', { name: 'Page 1' }).waitFor();
  await shows(page, { frame: 1, frames: 3 });
  await press(page, 'Next page');
  await page.getByRole('img', { name: 'Page 2' }).waitFor();
  await shows(page, { frame: 2 });
});

test('The server draws a frame that the browser cannot decode, and the viewer says so.', async () => {
  const { page } = hindered;
  await page.route(
    ({ pathname, searchParams }) => pathname.endsWith('/frames/1') && !searchParams.has('rendered'),
    (route) => route.fulfill({ contentType: 'application/octet-stream', body: 'no frame' }),
  );
  await visit(page, `/viewer/${slice.id}`);
  await shows(page, { image: slice.id, frame: 1 });
  await page.getByText('Drawn by the server: this browser cannot decode the file.').waitFor();
  faults.push(...(await hindered.look('viewer-by-server')));
});

/** Shares an image with the reader and opens it in the reader’s viewer. */
async function letSee(id: string, n: number, before?: () => Promise<void>): Promise<string> {
  const { id: createdfor } = await reader.call<{ id: string }>('/users/profile');
  const share = await owner.call<{ id: string }>('/sharing/request', 'POST', { imagemetadataId: id, createdfor });
  const mail = await reader.mailed('An image was shared with you', n);
  await reader.call('/sharing/verify', 'POST', {
    sharingRequestId: line(mail, 'Sharing id'),
    verificationCode: line(mail, 'Code'),
  });
  await before?.();
  await visit(reader.page, `/viewer/${id}`);
  await shows(reader.page, { image: id });
  return share.id;
}

test('A revocation, the expiry of a share and a deletion blank the open picture.', async () => {
  const share = await letSee(slice.id, 1);
  const revoked = blank(reader);
  await owner.call(`/sharing/${share}`, 'DELETE');
  const answered = Date.now();
  expect((await revoked) - answered).toBeLessThan(revokedMs());
  await reader.page.getByText('This picture is no longer available').waitFor();
  faults.push(...(await reader.look('viewer-ended')));

  let end = 0;
  await letSee(slice.id, 2, async () => {
    const db = await connectDatabase({ mongodbUri: product.mongodbUri() });
    // The picture must be drawn before.
    end = Date.now() + Math.min(whenBusy(8_000), 40_000);
    await db
      .collection('shares')
      .updateMany({ live: true, image: oid(slice.id) }, { $set: { expiresAt: new Date(end) } });
    await db.close();
  });
  const took = (await blank(reader)) - end;
  expect(took).toBeGreaterThan(-100);
  expect(took).toBeLessThan(revokedMs());

  await letSee(slice.id, 3);
  const deleted = blank(reader);
  await owner.call(`/upload/image/${slice.id}`, 'DELETE');
  const gone = Date.now();
  expect((await deleted) - gone).toBeLessThan(revokedMs());
});

test('No screen of these files breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  // The library of documents warns when its worker is missing, as one test wants it.
  expect([owner, reader].flatMap((person) => person.complaints)).toEqual([]);
});
