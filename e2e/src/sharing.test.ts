import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { choosePerson, enterProviders, line, Person, password, register, tick } from './person.js';
import { visit } from './screens/judge.js';
import { drawOn } from './viewing.js';

const assets = join(import.meta.dirname, '../../backend/assets/demo');
const danish = { email: 'danish.rana@example.org', username: 'danish.rana', firstname: 'Danish', lastname: 'Rana' };
const people = [
  { email: 'sana.iqbal@example.org', username: 'sana.iqbal', firstname: 'Sana', lastname: 'Iqbal' },
  { email: 'adeel.baig@example.org', username: 'adeel.baig', firstname: 'Adeel', lastname: 'Baig' },
] as const;
const captions = ['Left wrist, from the side', 'Left wrist, from above'] as const;
const note = 'Please compare the two before Friday.';

let owner: Person;
let first: Person;
let second: Person;
let newcomer: Person;
const faults: string[] = [];

test.beforeAll(async ({ browser, shared: product }) => {
  [owner] = (await enterProviders(product, browser, danish)) as [Person];
  for (const person of people) await register(product, person, 'patient');
  first = await Person.arrive(product, browser, { ...people[0], password });
  second = await Person.arrive(product, browser, { ...people[1], password });
  newcomer = await Person.arrive(
    product,
    browser,
    { email: 'noor.haider@example.org', password },
    { viewport: { width: 390, height: 844 }, hasTouch: true },
  );
});

afterAll(async () => {
  await Promise.all([owner, first, second, newcomer].map((person) => person.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(
    Object.entries({ owner, first, newcomer }).map(([name, one]) => one.shootFailure(`failed-sharing-${name}`)),
  );
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const cardOf = ({ page }: Person, caption: string) => page.locator('article', { hasText: caption }).first();

/** Checks the screen on a desktop and on a phone, light, dark and in Urdu. */
async function look(person: Person, name: string): Promise<void> {
  faults.push(...(await person.lookTwice(name)));
}

async function upload({ page }: Person, caption: string, name = 'hand-xray.jpg'): Promise<void> {
  const token = await page.evaluate<string>(`JSON.parse(localStorage.getItem('root')).token`);
  const buffer = readFileSync(join(assets, name));
  const answer = await page.request.post('/api/upload/image', {
    headers: { Authorization: `Bearer ${token}` },
    multipart: { caption, file: { name, mimeType: 'application/octet-stream', buffer } },
  });
  expect(answer.status()).toBe(201);
}

/** Opens an image with the pair of its id and code from a mail about several. */
async function verify(person: Person, caption: string, mail: string): Promise<void> {
  const { page } = person;
  await cardOf(person, caption)
    .getByRole('button', { name: /^Verify/ })
    .click();
  await page.getByRole('dialog').waitFor();
  const field = page.getByLabel('Enter Image Sharing Id:');
  await expect.poll(() => field.inputValue()).not.toBe('');
  const id = await field.inputValue();
  await person.enterCode(line(mail.slice(mail.indexOf(id)), 'Code'));
  await button(page, 'Open image').click();
  await page.getByRole('dialog').getByRole('img').first().waitFor();
}

/** Opens the dialog for a code on a phone that is held sideways: nothing lies over the box, and Back closes the dialog. */
async function seesCodeSideways(person: Person, caption: string): Promise<void> {
  const { page } = person;
  for (const size of [
    { width: 740, height: 360 },
    { width: 640, height: 400 },
  ]) {
    await page.setViewportSize(size);
    await cardOf(person, caption)
      .getByRole('button', { name: /^Verify/ })
      .click();
    await person.atCode();
    const isSeen = `(() => {
      const box = document.activeElement;
      const { left, bottom } = box.getBoundingClientRect();
      return bottom <= innerHeight && document.elementFromPoint(left + 9, bottom - 9) === box;
    })()`;
    await expect.poll(() => page.evaluate(isSeen)).toBe(true);
    await expect.poll(() => page.evaluate('Boolean(history.state?.sheet)')).toBe(true);
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.setViewportSize({ width: 390, height: 844 });
}

test('Two images are shared with two people in one act, with a note and one mail for each.', async () => {
  for (const caption of captions) await upload(owner, caption);
  await Promise.all([first.enter(), second.enter()]);
  const { page } = owner;
  await page.goto('/view-images');
  await button(page, 'Select').click();
  for (const caption of captions) await tick(page.getByRole('checkbox', { name: `Choose ${caption}` }));
  await look(owner, 'sharing-select');
  await button(page, 'Share chosen').click();
  const dialog = page.getByRole('dialog', { name: 'Share 2 images' });
  for (const { firstname, lastname } of people) {
    await choosePerson(dialog, firstname, new RegExp(`${lastname}, ${firstname}`));
  }
  await dialog.getByLabel('Note').fill(note);
  await look(owner, 'sharing-many');
  await button(page, 'Share with 2 people').click();
  await dialog.waitFor({ state: 'detached' });

  const mail = await first.mailed('An image was shared with you');
  expect(mail.match(/^Sharing id: /gm)).toHaveLength(2);
  expect(mail).not.toContain('compare');
  await second.mailed('An image was shared with you');
  await first.page.goto('/view-images');
  await cardOf(first, captions[0]).getByText(note).waitFor();
  await look(first, 'sharing-note');
  await verify(first, captions[0], mail);
  await button(first.page, 'Download original').waitFor();
});

test('The owner forbids the download and changes the end, and the open screen of the recipient follows.', async () => {
  const { page } = owner;
  await visit(page, '/view-images');
  await button(page, `Share ${captions[0]}`).click();
  const change = page.getByRole('button', { name: 'Change the access of Sana Iqbal' });
  await change.click();
  const panel = page.getByRole('group', { name: 'Change the access of Sana Iqbal' });
  await tick(panel.getByRole('checkbox', { name: 'They may download the original' }), false);
  await first.page.getByText('The person who shared this does not allow the download.').waitFor();
  await look(owner, 'sharing-change');
  await tick(panel.getByRole('radio', { name: '7 days' }));
  await button(page, 'Save').click();
  await panel.waitFor({ state: 'detached' });
  await first.page
    .getByRole('dialog')
    .getByText(/6 days|7 days/)
    .first()
    .waitFor();
  await look(first, 'sharing-no-download');
});

test('A person without an account is invited, registers on a phone, and opens the picture.', async () => {
  const { page } = owner;
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('searchbox').fill(newcomer.email);
  await button(page, /^Invite/).click();
  await button(page, /^Share$/).click();
  await dialog.waitFor({ state: 'detached' });
  await button(page, `Share ${captions[0]}`).click();
  await page.getByText('Invited, waiting').waitFor();
  await look(owner, 'sharing-invited');

  const phone = newcomer.page;
  await phone.goto(line(await newcomer.mailed('You were invited'), 'Link'));
  await phone.waitForURL('**/register');
  await phone.getByLabel('First name').fill('Noor');
  await phone.getByLabel('Last name').fill('Haider');
  await phone.getByLabel('Username').fill('noor.haider');
  await expect.poll(() => phone.getByLabel('Email').inputValue()).toBe(newcomer.email);
  expect(await phone.getByLabel('Email').isEditable()).toBe(false);
  await look(newcomer, 'sharing-register');
  await button(phone, 'Next').click();
  await phone.getByRole('heading', { name: 'Medical Details' }).waitFor();
  await button(phone, 'Next').click();
  await phone.getByLabel('Password', { exact: true }).fill(password);
  await phone.getByLabel('Confirm password', { exact: true }).fill(password);
  await button(phone, 'Submit').click();
  await phone.waitForURL('**/verify-account');
  await newcomer.enterCode(line(await newcomer.mailed('Your verification code'), 'Code'));
  await phone.waitForURL('**/view-images');
  await seesCodeSideways(newcomer, captions[0]);
  await verify(newcomer, captions[0], await newcomer.mailed('An image was shared with you'));
  await page.getByText('Invited, waiting').waitFor({ state: 'detached' });
});

test('An image is shared without identity, and its recipient never reads the caption.', async () => {
  const { page } = owner;
  const caption = 'Rehana, follow-up';
  await upload(owner, caption, 'chest-ct.dcm');
  await visit(page, '/view-images');
  await button(page, `Share ${caption}`).click();
  const dialog = page.getByRole('dialog');
  await choosePerson(dialog, people[0].firstname, /Iqbal, Sana/);
  await tick(dialog.getByRole('checkbox', { name: 'Without identity' }));
  await dialog.getByRole('button', { name: /differences? from the original/ }).click();
  await dialog.getByRole('cell', { name: 'StudyDate' }).waitFor();
  // Text in the picture is drawn over, with the mouse and with keys, and the copy is shared.
  await dialog.getByRole('button', { name: 'Black out text' }).click();
  const surface = dialog.getByRole('group', { name: 'Picture to draw on' });
  await drawOn(page, surface);
  await button(page, 'Add a rectangle').click();
  const drawn = () => surface.locator('[data-black]').count();
  await expect.poll(drawn).toBe(2);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Delete');
  await expect.poll(drawn).toBe(1);
  await button(page, 'Undo').click();
  await expect.poll(drawn).toBe(2);
  await look(owner, 'sharing-black-out');
  // The image without the rectangles cannot leave meanwhile.
  await expect.poll(() => button(page, 'Share with Sana').isDisabled()).toBe(true);
  await button(page, 'Make the copy').click();
  await dialog.getByText('You now share the copy with the text blacked out.').waitFor();
  await button(page, 'Share with Sana').click();
  await dialog.waitFor({ state: 'detached' });

  const mail = await first.mailed('An image was shared with you', 2);
  await visit(first.page, '/view-images');
  const general = 'Image without identity';
  await verify(first, general, mail);
  await look(first, 'sharing-copy');
  await visit(first.page, '/view-images');
  await cardOf(first, general).getByText('Without identity', { exact: true }).waitFor();
  expect(await first.page.content()).not.toContain('Rehana');
});

test('No screen of sharing breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect([owner, first, second, newcomer].flatMap((person) => person.complaints)).toEqual([]);
});
