import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { phantom, phantomFacts } from '@lightbox/testkit/part10.js';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { asGraphicsCard, launchChromium, withoutWebGl } from './chromium.js';
import { REVOKED_MS, test } from './journey.js';
import { enterProviders, line, Person, password, type Uploaded } from './person.js';
import type { Product } from './product.js';

/** The viewer with pictures of known size and value: with WebGL, without it, and by touch. */
const sara = { email: 'sara.malik@example.org', username: 'sara.malik', firstname: 'Sara', lastname: 'Malik' };
const bilal = { email: 'bilal.shah@example.org', username: 'bilal.shah', firstname: 'Bilal', lastname: 'Shah' };
const FRAMES = 12;
const SLICES = 5;

let product: Product;
let without: Browser;
let owner: Person;
let reader: Person;
const others: Person[] = [];
const faults: string[] = [];
let film = '';
let picture = '';

test.beforeAll(async ({ browser, shared }) => {
  product = shared;
  without = await launchChromium(withoutWebGl);
  [owner, reader] = (await enterProviders(product, browser, sara, bilal)) as [Person, Person];
  await owner.page.addInitScript(asGraphicsCard);
  film = (await upload('Abdomen, portal phase', phantom({ frames: FRAMES }))).id;
  picture = (
    await upload('Icon', readFileSync(join(import.meta.dirname, '../../frontend/public/icons/192.png')), 'image/png')
  ).id;
});

afterAll(async () => {
  await Promise.all([owner, reader, ...others].map((person) => person.leave()));
  await without.close();
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all([owner, reader, ...others].map((person, i) => person.shoot(`failed-viewer-${i}`)));
});

const upload = (caption: string, buffer: Buffer, mimeType = 'application/dicom') =>
  owner.upload(caption, { name: 'phantom', mimeType, buffer });

const panes = (page: Page) => page.locator('[data-viewport]');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
/** Waits until a pane has a value on screen. */
const shows = (page: Page, values: Record<string, string | number | boolean>): Promise<void> =>
  panes(page)
    .first()
    .and(
      page.locator(
        `[data-state=drawn]${Object.entries(values)
          .map(([k, v]) => `[data-${k}="${v}"]`)
          .join('')}`,
      ),
    )
    .waitFor();

async function openFilm(page: Page): Promise<void> {
  await page.goto(`/viewer/${film}`);
  await shows(page, { frame: 1, frames: FRAMES, image: film });
}

/** Returns where a pixel of the phantom is on the page, while the picture is fitted. */
async function places(pane: Locator): Promise<(point: readonly [number, number]) => [number, number]> {
  const box = await pane.boundingBox();
  if (!box) throw new Error('The pane is not visible.');
  const size = Math.min(box.width, box.height) / phantomFacts.side;
  const middle = phantomFacts.side / 2 - 0.5;
  return ([x, y]) => [box.x + box.width / 2 + (x - middle) * size, box.y + box.height / 2 + (y - middle) * size];
}

async function drag({ mouse }: Page, from: [number, number], to: [number, number]): Promise<void> {
  await mouse.move(...from);
  await mouse.down();
  await mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 3 });
  await mouse.move(...to, { steps: 3 });
  await mouse.up();
}

/** Sees by the value beside the disc that the picture is fitted into its pane. */
async function seeFitted(page: Page): Promise<void> {
  const at = await places(panes(page).first());
  await press(page, 'Probe');
  await drag(page, at([83, 120]), at([83, 100]));
  expect(await measured(page, 'probe')).toEqual({ value: phantomFacts.body.value, unit: 'HU' });
}

/** Waits for a measurement and returns its value and unit. */
async function measured(page: Page, kind: string): Promise<{ value: number; unit: string | null }> {
  const one = page.locator(`[data-measure][data-kind=${kind}]`).last();
  await one.waitFor({ state: 'attached' });
  return { value: Number(await one.getAttribute('data-value')), unit: await one.getAttribute('data-unit') };
}

/** Measures what is known about the phantom. */
async function measureAll(page: Page): Promise<void> {
  const at = await places(panes(page).first());
  const { bar, disc } = phantomFacts;
  await press(page, 'Length');
  await drag(page, at(bar.from), at(bar.to));
  const length = await measured(page, 'length');
  expect(length.unit).toBe('mm');
  expect(Math.abs(length.value - bar.length) / bar.length).toBeLessThan(0.01);

  await press(page, 'Probe');
  await drag(page, at([130, 90]), at(disc.at));
  expect(await measured(page, 'probe')).toEqual({ value: disc.value, unit: 'HU' });

  await press(page, 'Ellipse');
  await drag(page, at([97, 107]), at([103, 113]));
  expect(await measured(page, 'ellipse')).toEqual({ value: disc.value, unit: 'HU' });

  await press(page, 'Angle');
  await drag(page, at([150, 170]), at([150, 200]));
  await page.mouse.move(...at([180, 200]), { steps: 3 });
  await page.mouse.down();
  await page.mouse.up();
  const angle = await measured(page, 'angle');
  expect(angle.unit).toBe('°');
  expect(Math.abs(angle.value - 90)).toBeLessThan(1);
}

/** Uses every tool of the picture by its name, and sees its value. */
async function useTools(page: Page): Promise<void> {
  const at = await places(panes(page).first());
  await shows(page, { center: 40, width: 400, zoom: 1, rotation: 0, flipped: false, inverted: false });
  await press(page, 'Invert');
  await shows(page, { inverted: true });
  await press(page, 'Rotate');
  await shows(page, { rotation: 90 });
  await press(page, 'Flip');
  await shows(page, { flipped: true });
  await press(page, 'Reset');
  await shows(page, { inverted: false, rotation: 0, flipped: false, zoom: 1 });
  await press(page, 'Window');
  await drag(page, at([210, 60]), at([230, 70]));
  await page.locator('[data-viewport]:not([data-width="400"])').waitFor();
  await drag(page, at([210, 60]), at([150, 60]));
  expect(Number(await panes(page).first().getAttribute('data-width'))).toBeGreaterThan(50);
  await page.getByRole('slider', { name: 'Width' }).press('Home');
  await shows(page, { width: 1 });
  await press(page, 'Zoom');
  await drag(page, at([210, 100]), at([210, 60]));
  await page.locator('[data-viewport]:not([data-zoom="1"])').waitFor();
  await press(page, 'Pan');
  await drag(page, at([210, 60]), at([220, 70]));
  await press(page, 'Lung');
  await shows(page, { center: -600, width: 1500 });
  await press(page, 'Reset');
  await shows(page, { center: 40, width: 400, zoom: 1 });
}

/** Opens a picture in colour, which has no window to change. */
async function openPicture(page: Page): Promise<void> {
  await page.goto(`/viewer/${picture}`);
  await shows(page, { frame: 1, frames: 1, image: picture, center: 128, width: 256 });
  await press(page, 'Invert');
  await shows(page, { inverted: true, center: 128, width: 256 });
}

/** Goes through the frames by wheel, keys and play. */
async function goThrough(page: Page): Promise<void> {
  const pane = panes(page).first();
  await pane.hover();
  for (let frame = 2; frame <= 5; frame++) {
    await page.mouse.wheel(0, 100);
    await shows(page, { frame });
  }
  await pane.focus();
  await page.keyboard.press('End');
  await shows(page, { frame: FRAMES });
  await page.keyboard.press('PageUp');
  await shows(page, { frame: FRAMES - 10 });
  await page.keyboard.press('ArrowDown');
  await shows(page, { frame: FRAMES - 9 });
  await page.keyboard.press('Home');
  await shows(page, { frame: 1 });
  await press(page, 'Play');
  await page.locator('[data-viewport]:not([data-frame="1"])').waitFor();
  await press(page, 'Pause');
  await page.keyboard.press('Home');
  await shows(page, { frame: 1 });
}

test('With WebGL, every tool works, lengths and values are true, and frames follow wheel and keys.', async () => {
  const { page } = owner;
  await openPicture(page);
  await openFilm(page);
  faults.push(...(await owner.look('viewer-desk')));
  await measureAll(page);
  await useTools(page);
  await goThrough(page);
});

test('Compare, tags, keys, full screen and presets open by their names.', async () => {
  const { page } = owner;
  await press(page, 'Compare');
  await expect.poll(() => panes(page).and(page.locator('[data-state=drawn]')).count()).toBe(2);
  await panes(page).first().focus();
  await page.keyboard.press('ArrowDown');
  await panes(page).nth(1).and(page.locator('[data-frame="2"]')).waitFor();
  faults.push(...(await owner.look('viewer-compare')));
  await seeFitted(page);
  await press(page, 'Compare');
  await expect.poll(() => panes(page).count()).toBe(1);

  await press(page, 'Tags');
  const tags = page.getByRole('dialog');
  await tags.getByText('BodyPartExamined').waitFor();
  await tags.getByRole('searchbox').fill('rescale');
  await tags.getByText('BodyPartExamined').waitFor({ state: 'detached' });
  await tags.getByText('RescaleIntercept').waitFor();
  faults.push(...(await owner.look('viewer-tags')));
  await page.keyboard.press('Escape');
  await tags.waitFor({ state: 'detached' });

  await panes(page).first().focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  faults.push(...(await owner.axe('viewer-keys')));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await press(page, 'Presets');
  expect(await page.evaluate<string | null>(`document.activeElement.getAttribute('data-preset')`)).toBe('softTissue');
  await press(page, 'Full screen');
  await expect.poll(() => page.evaluate<boolean>('document.fullscreenElement !== null')).toBe(true);
  await press(page, 'Full screen');
});

test('A study is one stack by wheel, and three planes are cut through it.', async () => {
  const { page } = owner;
  const slices: Uploaded[] = [];
  for (let i = 0; i < SLICES; i++) {
    slices.push(await upload('Abdomen', phantom({ instance: SLICES - i, z: i * 3, study: '2' })));
  }
  await page.goto(`/viewer/study/${slices[0]?.studyId}`);
  await shows(page, { frame: 1, frames: SLICES, image: slices[0]?.id ?? '' });
  await panes(page).first().hover();
  for (const [i, { id }] of slices.entries()) {
    if (i > 0) await page.mouse.wheel(0, 100);
    await shows(page, { frame: i + 1, image: id });
  }
  await press(page, 'Planes');
  await expect.poll(() => panes(page).and(page.locator('[data-state=drawn]')).count()).toBe(3);
  faults.push(...(await owner.look('viewer-planes')));
});

test('Without WebGL, the same tools give the same values.', async () => {
  const person = await Person.arrive(product, without, { ...sara, password });
  others.push(person);
  await person.enter();
  await openPicture(person.page);
  await openFilm(person.page);
  await measureAll(person.page);
  await useTools(person.page);
  await goThrough(person.page);
});

test('On a phone, a finger goes through the frames, and every tool is in reach, in English and in Urdu.', async ({
  browser,
}) => {
  const person = await Person.arrive(
    product,
    browser,
    { ...sara, password },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
  others.push(person);
  await person.enter();
  const { page } = person;
  await openFilm(page);
  faults.push(...(await person.look('viewer-phone')));
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(wide).toBeLessThanOrEqual(0);
  const box = await panes(page).first().boundingBox();
  if (!box) throw new Error('The pane is not visible.');
  const client = await page.context().newCDPSession(page);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const touch = (type: string, dy?: number) =>
    client.send(
      'Input.dispatchTouchEvent' as never,
      {
        type,
        touchPoints: dy === undefined ? [] : [{ x, y: y + dy }],
      } as never,
    );
  await touch('touchStart', 0);
  for (let dy = 10; dy <= 150; dy += 10) await touch('touchMove', dy);
  await touch('touchEnd');
  await page.locator('[data-viewport]:not([data-frame="1"])').waitFor();
  await press(page, 'Invert');
  await shows(page, { inverted: true });
  await press(page, 'Presets');
  await page.getByRole('dialog').getByRole('button', { name: 'Lung' }).tap();
  await shows(page, { center: -600, width: 1500 });
  faults.push(...(await person.look('viewer-phone-panel')));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.evaluate(`localStorage.setItem('language', 'ur')`);
  await page.reload();
  await shows(page, { frame: 1 });
  faults.push(...(await person.look('viewer-phone-urdu')));
});

test('A revocation blanks the open picture.', async () => {
  const { page } = reader;
  const me = await reader.call<{ id: string }>('/users/profile');
  const share = await owner.call<{ id: string }>('/sharing/request', 'POST', {
    imagemetadataId: film,
    createdfor: me.id,
  });
  const mail = await reader.mailed('An image was shared with you');
  await reader.call('/sharing/verify', 'POST', {
    sharingRequestId: line(mail, 'Sharing id'),
    verificationCode: line(mail, 'Code'),
  });
  await openFilm(page);
  const blank = reader.whenTrue(
    `document.querySelector('[data-viewport][data-state=failed]') && !document.querySelector('canvas')`,
  );
  await owner.call(`/sharing/${share.id}`, 'DELETE');
  const at = Date.now();
  expect((await blank) - at).toBeLessThan(REVOKED_MS);
  await page.getByText('This picture is no longer available').waitFor();
  faults.push(...(await reader.look('viewer-ended')));
});

test('No screen of the viewer breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect([owner, reader, ...others].flatMap((person) => person.complaints)).toEqual([]);
});
