import { dicomPicture, element } from '@lightbox/testkit/part10.js';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { choosePerson, enterProviders, line, type Person, tick } from './person.js';
import { visit } from './screens/judge.js';
import { drawOn } from './viewing.js';

const imran = { email: 'imran.sheikh@example.org', username: 'imran.sheikh', firstname: 'Imran', lastname: 'Sheikh' };
const zara = { email: 'zara.aziz@example.org', username: 'zara.aziz', firstname: 'Zara', lastname: 'Aziz' };

let owner: Person;
let recipient: Person;
const faults: string[] = [];

test.beforeAll(async ({ browser, shared }) => {
  [owner, recipient] = (await enterProviders(shared, browser, imran, zara)) as [Person, Person];
});

afterAll(() => Promise.all([owner, recipient].map((person) => person?.leave())));

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(
    Object.entries({ owner, recipient }).map(([name, one]) => one.shootFailure(`failed-black-out-${name}`)),
  );
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

/** Checks the screen light on a desktop and dark on a phone. */
async function look(person: Person, name: string): Promise<void> {
  faults.push(...(await person.lookTwice(name)));
}

/** Returns one of two large pictures of an examination, with a bright body and the name of the patient in its header. */
function examination(n: number): Buffer {
  const [rows, columns] = [384, 512];
  const pixels = Buffer.alloc(rows * columns * 2);
  for (let at = 0; at < rows * columns; at++) {
    const distance = Math.hypot((at % columns) - columns / 2, Math.floor(at / columns) - rows / 2);
    pixels.writeUInt16LE(distance < 150 - 20 * n ? 1_500 + Math.round(distance) : 100, at * 2);
  }
  return dicomPicture(
    { rows, columns, pixels },
    Buffer.concat([
      element(0x00080018, 'UI', `2.25.88014.1.${n}`),
      element(0x00100010, 'PN', 'Siddiqui^Rehana'),
      element(0x0020000d, 'UI', '2.25.88014'),
      element(0x0020000e, 'UI', '2.25.88014.1'),
      element(0x00200013, 'IS', String(n)),
      element(0x00200032, 'DS', `0\\0\\${n * 5}`),
      element(0x00200037, 'DS', '1\\0\\0\\0\\1\\0'),
    ]),
  );
}

/** Opens the share dialog of a study with the brush, and draws on its first image. */
async function brush({ page }: Person, studyId: string, [share, ask]: readonly [RegExp, string]): Promise<Locator> {
  await visit(page, '/view-images');
  await page.locator(`[data-study="${studyId}"]`).getByRole('button', { name: share }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('[data-identity] label').first().click();
  await dialog.getByRole('button', { name: ask }).click();
  await drawOn(page, dialog.locator('[data-black-surface]'));
  return dialog;
}

test('A study is blacked out image by image, and its recipient sees the study of copies alone.', async () => {
  const { page } = owner;
  let studyId = '';
  const originals: string[] = [];
  for (const n of [1, 2]) {
    const file = { name: `${n}.dcm`, mimeType: 'application/dicom', buffer: examination(n) };
    const image = await owner.upload(`Rehana, slice ${n}`, file);
    studyId = image.studyId ?? '';
    originals.push(image.id);
  }
  await visit(page, '/view-images');
  await page.evaluate(`localStorage.setItem('language', 'ur')`);
  await page.reload();
  await brush(owner, studyId, [/شیئر/, 'لکھائی سیاہ کریں']);
  await look(owner, 'sharing-study-urdu');
  await page.evaluate(`localStorage.setItem('language', 'en')`);
  await page.reload();

  const dialog = await brush(owner, studyId, [/^Share/, 'Black out text']);
  const surface = dialog.locator('[data-black-surface]');
  await dialog.getByText('Image 1 of 2').waitFor();
  await button(page, 'Make 2 copies').scrollIntoViewIfNeeded();
  await look(owner, 'sharing-study');
  // The places of one image are put on the other, which gets a further one.
  await button(page, 'Put these places on all 2 images of this size').click();
  await button(page, 'Next image').click();
  await dialog.getByText('Image 2 of 2').waitFor();
  await surface.locator('img').waitFor();
  await expect.poll(() => surface.locator('[data-black]').count()).toBe(1);
  await button(page, 'Add a rectangle').click();
  await expect.poll(() => surface.locator('[data-black]').count()).toBe(2);
  // An image that is left out has no copy.
  const leaveOut = dialog.getByRole('checkbox', { name: 'Leave this image out' });
  await tick(leaveOut);
  await button(page, 'Make 1 copy').waitFor();
  await look(owner, 'sharing-study-left-out');
  await tick(leaveOut, false);
  await tick(dialog.getByRole('checkbox', { name: /no other text names anybody/ }));
  await expect.poll(() => button(page, /^Share$/).isDisabled()).toBe(true);
  // A guest link would open the original.
  await dialog.getByText('You can make a guest link when the copy is ready.').waitFor();
  expect(await button(page, 'Make a guest link').count()).toBe(0);
  await button(page, 'Make 2 copies').click();
  await dialog.getByRole('heading', { name: 'Share (Copies without identity)' }).waitFor();
  await dialog.getByText('You share the copy. The original is not shared.').waitFor();
  // The brush that had the focus is gone: the person sees and hears what became of it.
  const note = dialog.locator('[data-copy-made]:focus', { hasText: 'You now share the study of copies' });
  await note.waitFor();
  const corner = await note.boundingBox();
  expect(corner).not.toBeNull();
  const at = `${(corner?.x ?? 0) + 30}, ${(corner?.y ?? 0) + 20}`;
  expect(await page.evaluate(`!!document.elementFromPoint(${at})?.closest('[data-copy-made]')`)).toBe(true);
  await dialog.getByText('A guest link opens the copy, not the original.').waitFor();
  await button(page, 'Make a guest link').waitFor();
  await look(owner, 'sharing-study-made');
  await choosePerson(dialog, zara.firstname, /Aziz, Zara/);
  await button(page, 'Share with Zara').click();
  await dialog.waitFor({ state: 'detached' });

  const mail = await recipient.mailed('An image was shared with you');
  await visit(recipient.page, '/view-images');
  const card = recipient.page.locator('article', { hasText: 'Without identity' });
  await card.getByRole('button', { name: /^Verify/ }).click();
  await recipient.enterCode(line(mail, 'Code'));
  await button(recipient.page, 'Open study').click();
  await recipient.page.getByRole('dialog').getByText('Image 1 of 2').waitFor();
  await recipient.page.getByRole('dialog').getByRole('img').first().waitFor();
  await look(recipient, 'sharing-study-copies');
  expect(await recipient.page.content()).not.toContain('Rehana');
  for (const id of originals) await expect(recipient.call(`/upload/image/${id}`)).rejects.toThrow('404');
  await expect(recipient.call(`/studies/${studyId}`)).rejects.toThrow('404');
});

test('No screen of the black-out of a study breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect([owner, recipient].flatMap((person) => person.complaints)).toEqual([]);
});
