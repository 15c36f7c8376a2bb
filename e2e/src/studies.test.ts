import { dicomPicture, element } from '@lightbox/testkit/part10.js';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { accessEnded, revokedMs, test } from './journey.js';
import { choosePerson, enterProviders, line, type Person } from './person.js';

/** Two browsers at once: a study is shared with one code, opened, and disappears as a whole when it is revoked. */
const rabia = { email: 'rabia.noor@example.org', username: 'rabia.noor', firstname: 'Rabia', lastname: 'Noor' };
const tariq = { email: 'tariq.shah@example.org', username: 'tariq.shah', firstname: 'Tariq', lastname: 'Shah' };
const title = 'CT of a phantom';

let owner: Person;
let reader: Person;
let studyId = '';
const faults: string[] = [];

test.beforeAll(async ({ browser, shared }) => {
  [owner, reader] = (await enterProviders(shared, browser, rabia, tariq)) as [Person, Person];
});

afterAll(async () => {
  await Promise.all([owner, reader].map((person) => person?.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(Object.entries({ owner, reader }).map(([name, one]) => one.shootFailure(`failed-study-${name}`)));
});

/** Returns one slice of a CT of a ball of water: a disc that shrinks with the distance from the middle. */
function slice(n: number): Buffer {
  const side = 128;
  const pixels = Buffer.alloc(side * side * 2);
  const radius = 50 - 8 * Math.abs(n - 2);
  for (let at = 0; at < side * side; at++) {
    const distance = Math.hypot((at % side) - side / 2, Math.floor(at / side) - side / 2);
    pixels.writeUInt16LE(distance < radius ? 1000 + 12 * Math.round(radius - distance) : 40, at * 2);
  }
  const series = n < 4 ? 1 : 2;
  return dicomPicture(
    { rows: side, columns: side, pixels },
    Buffer.concat([
      element(0x0020000d, 'UI', '2.25.77001'),
      element(0x0020000e, 'UI', `2.25.77001.${series}`),
      element(0x00200011, 'IS', String(series)),
      element(0x00200013, 'IS', String(n)),
      element(0x00200032, 'DS', `0\\0\\${n * 5}`),
      element(0x00200037, 'DS', '1\\0\\0\\0\\1\\0'),
    ]),
  );
}

const upload = (n: number) =>
  owner.upload(`Slice ${n}`, { name: `${n}.dcm`, mimeType: 'application/dicom', buffer: slice(n) });

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

/** Checks the open dialog dark and from right to left. The address names the study, so it opens again. */
async function inUrdu(person: Person, name: string): Promise<void> {
  const { page } = person;
  const turn = async (language: string) => {
    await page.evaluate(`localStorage.setItem('language', '${language}')`);
    await page.reload();
    await page.locator(`html[lang=${language}]`).waitFor();
    await page.locator('[role=dialog] li').first().waitFor();
  };
  await turn('ur');
  await page.emulateMedia({ colorScheme: 'dark' });
  faults.push(...(await person.look(`${name}-urdu`)));
  await page.emulateMedia({ colorScheme: 'light' });
  await turn('en');
}

test('The slices of one examination become one card, which counts them while they arrive.', async () => {
  const { page } = owner;
  await page.goto('/view-images');
  for (const n of [1, 2, 3, 4]) studyId = (await upload(n)).studyId ?? '';
  const card = page.locator(`[data-study="${studyId}"]`);
  await card.getByText('4 images').waitFor();
  await expect.poll(() => page.locator('[data-image]').count()).toBe(1);
  await card.getByRole('button', { name: /^Open/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/Image \d of 4/).waitFor();
  await button(page, 'Rename').click();
  await page.getByLabel('Title').fill(title);
  await button(page, 'Save title').click();
  await card.getByRole('heading', { name: title }).waitFor();
  await card.locator('img').waitFor();
  faults.push(...(await owner.lookTwice('study-card')));
});

test('A study is shared with one code, and its recipient sees only the outline before it is entered.', async () => {
  await reader.page.goto('/view-images');
  const { page } = owner;
  await button(page, `Share ${title}`).click();
  const dialog = page.getByRole('dialog');
  await choosePerson(dialog, 'Tariq', /Shah, Tariq/);
  await dialog.getByRole('button', { name: /^Share with/ }).click();
  await dialog.waitFor({ state: 'detached' });
  const card = reader.page.locator('article', { hasText: title });
  await card.getByText('Study · 4 images', { exact: true }).waitFor();
  await expect.poll(() => reader.page.locator('article').count()).toBe(1);
  expect(await card.locator('img').count()).toBe(0);
  faults.push(...(await reader.lookTwice('study-outline')));
});

test('One code opens all images of the study: in its dialog, and in the viewer.', async () => {
  const { page } = reader;
  const mail = await reader.mailed('An image was shared with you');
  await button(page, `Verify ${title}`).click();
  await page.getByRole('dialog').waitFor();
  await reader.enterCode(line(mail, 'Code'));
  await button(page, 'Open study').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Image 1 of 4').waitFor();
  await button(page, 'Next image').click();
  await dialog.getByText('Image 2 of 4').waitFor();
  await dialog.locator('img[src^="data:image"]').waitFor();
  const saved = page.waitForEvent('download');
  await button(page, 'Download all (zip)').click();
  expect((await saved).suggestedFilename()).toBe(`${title}.zip`);
  faults.push(...(await reader.lookTwice('study-dialog')));
  await inUrdu(reader, 'study-dialog');
  await dialog.getByText('Image 1 of 4').waitFor();
  await dialog.getByRole('listitem').first().getByRole('link').click();
  await page.locator('[data-viewport][data-state=drawn]').first().waitFor();
  await page.goBack();
  await dialog.getByText('Image 1 of 4').waitFor();
});

test('A revocation takes the whole study off the recipient’s screen, and out of reach.', async () => {
  await button(owner.page, `Share ${title}`).click();
  const revoke = button(owner.page, /^Revoke the access/);
  await revoke.waitFor();
  const { page } = reader;
  const [answered, ended] = [owner.whenAnswered('DELETE'), reader.whenTrue(accessEnded)];
  await revoke.click();
  expect((await ended) - (await answered)).toBeLessThan(revokedMs());
  await expect.poll(() => page.locator('img[src^="blob:"], img[src^="data:image"]').count()).toBe(0);
  await expect(reader.call(`/studies/${studyId}`)).rejects.toThrow('404');
  faults.push(...(await reader.lookTwice('study-ended')));
});

test('No screen of the journey breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect([owner, reader].flatMap((person) => person.complaints)).toEqual([]);
});
