import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Layers } from '@lightbox/contract/annotations/schemas.js';
import { phantom, phantomFacts } from '@lightbox/testkit/part10.js';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { asGraphicsCard, launchChromium, withoutWebGl } from './chromium.js';
import { test } from './journey.js';
import { enterProviders, Person, password, type Uploaded, wider } from './person.js';
import type { Product } from './product.js';
import { visit } from './screens/judge.js';
import { brightColumn, drag, measures, panes, places, press, shows, swipe } from './viewing.js';

/** The viewer with pictures of known size and value: with WebGL, without it, and by touch. */
const sara = { email: 'sara.malik@example.org', username: 'sara.malik', firstname: 'Sara', lastname: 'Malik' };
const FRAMES = 12;
const SLICES = 5;
/** A small desktop: the processor draws each pixel of the films, because the machine has no graphics card. */
const window = { width: 1100, height: 700 };

let product: Product;
let without: Browser;
let owner: Person;
const others: Person[] = [];
const faults: string[] = [];
let film = '';
let picture = '';

test.beforeAll(async ({ browser, shared }) => {
  product = shared;
  without = await launchChromium(withoutWebGl);
  [owner] = (await enterProviders(product, browser, sara)) as [Person];
  await owner.page.addInitScript(asGraphicsCard);
  await owner.page.setViewportSize(window);
  film = (await upload('Abdomen, portal phase', phantom({ frames: FRAMES }))).id;
  picture = (
    await upload('Icon', readFileSync(join(import.meta.dirname, '../../frontend/public/icons/192.png')), 'image/png')
  ).id;
});

afterAll(async () => {
  await Promise.all([owner, ...others].map((person) => person.leave({ close: true })));
  await without.close();
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all([owner, ...others].map((person, i) => person.shootFailure(`failed-viewer-${i}`)));
});

const upload = (caption: string, buffer: Buffer, mimeType = 'application/dicom') =>
  owner.upload(caption, { name: 'phantom', mimeType, buffer });

async function openFilm(page: Page): Promise<void> {
  await page.goto(`/viewer/${film}`);
  await shows(page, { frame: 1, frames: FRAMES, image: film });
}

const body = { value: phantomFacts.body.value, unit: 'HU' };
const rightAngle = { value: 90, within: 1, unit: '°' };

/** Sees by the value beside the disc that the picture is fitted into its pane. */
async function seeFitted(page: Page): Promise<void> {
  const at = await places(panes(page).first());
  await press(page, 'Probe');
  await measures(page, 'probe', body, () => drag(page, at([83, 120]), at([83, 100])));
}

/** Measures what is known about the phantom. */
async function measureAll(page: Page): Promise<void> {
  const at = await places(panes(page).first());
  const { bar, disc } = phantomFacts;
  await press(page, 'Length');
  const length = { value: bar.length, within: bar.length / 100, unit: 'mm' };
  await measures(page, 'length', length, () => drag(page, at(bar.from), at(bar.to)));

  await press(page, 'Probe');
  const inDisc = { value: disc.value, unit: 'HU' };
  await measures(page, 'probe', inDisc, () => drag(page, at([130, 90]), at(disc.at)));

  await press(page, 'Ellipse');
  await measures(page, 'ellipse', inDisc, () => drag(page, at([97, 107]), at([103, 113])));

  await press(page, 'Angle');
  await measures(page, 'angle', rightAngle, async () => {
    await drag(page, at([150, 170]), at([150, 200]));
    await page.mouse.move(...at([180, 200]), { steps: 3 });
    await page.mouse.down();
    await page.mouse.up();
  });
}

/** Sees that the values under the probe and the ellipse are kept with them, for reports and exports. */
async function seeValuesKept(): Promise<void> {
  const kept = async () => {
    const { layers } = await owner.call<Layers>(`/upload/image/${film}/annotations`);
    return layers.flatMap(({ marks }) => marks.flatMap(({ pixels }) => pixels?.mean ?? []));
  };
  const { value } = phantomFacts.disc;
  await expect.poll(kept).toEqual([value, value]);
}

/** Measures without a pointer: a key chooses the tool, Enter sets the points of the crosshair, and the arrows move it. */
async function measureByKeys(page: Page): Promise<void> {
  const { keyboard } = page;
  const pane = panes(page).first();
  const keys =
    (...names: string[]) =>
    async () => {
      await pane.focus();
      for (const name of names) await keyboard.press(name);
      await page.locator('[data-crosshair]').waitFor({ state: 'detached' });
    };
  const count = await page.locator('[data-measure]').count();
  const [up, down, right] = ['ArrowUp', 'ArrowDown', 'ArrowRight'].map((key) => [key, key, key]) as [
    string[],
    string[],
    string[],
  ];
  await measures(page, 'probe', body, keys('o', 'Enter', ...up, 'Enter'));
  await measures(page, 'angle', rightAngle, keys('a', 'Enter', ...up, 'Enter', ...down, 'Enter', ...right, 'Enter'));
  await measures(page, 'ellipse', body, keys('e', 'Enter', ...up, 'Enter', 'ArrowUp', 'ArrowRight', 'Enter'));
  const box = await pane.boundingBox();
  const pixel = Math.min(box?.width ?? 0, box?.height ?? 0) / phantomFacts.side;
  const length = { value: (30 / pixel) * phantomFacts.spacing, within: 0.05, unit: 'mm' };
  await measures(page, 'length', length, keys('d', 'Enter', 'Enter', ...right, 'Enter'));
  await keys('d', 'Enter', 'Enter', ...down, 'Escape')();
  await shows(page, { frame: 1 });
  await expect.poll(() => page.locator('[data-measure]').count()).toBe(count + 4);
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
  await expect.poll(async () => Number(await panes(page).first().getAttribute('data-width'))).toBeGreaterThan(50);
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
  const scrubber = page.getByRole('slider', { name: 'Frames' });
  await scrubber.press('ArrowRight');
  await shows(page, { frame: 2 });
  await scrubber.press('End');
  await shows(page, { frame: FRAMES });
  await expect.poll(() => scrubber.getAttribute('aria-valuetext')).toBe(`Frame ${FRAMES} of ${FRAMES}`);
  await scrubber.press('Home');
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
  await seeValuesKept();
  await measureByKeys(page);
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
  const chosen = () => page.evaluate<string | null>(`document.activeElement.getAttribute('data-preset')`);
  await expect.poll(chosen).toBe('softTissue');
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

/** The drawing contexts of WebGL that the page has made and not ended, whether they are still reachable or not. */
const countContexts = `window.contexts = [];
const make = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  const made = make.call(this, kind, ...more);
  if (/webgl/.test(kind) && made && !window.contexts.includes(made)) window.contexts.push(made);
  return made;
};`;
const liveContexts = (page: Page) =>
  page.evaluate<number>('window.contexts.filter((one) => !one.isContextLost()).length');

test('Leaving the viewer ends what it holds of the graphics card.', async () => {
  const { page } = owner;
  await page.addInitScript(countContexts);
  await page.goto('/view-images');
  // The library tries out once what the graphics card can.
  const probes = 1;
  for (let visits = 0; visits < 3; visits++) {
    await visit(page, `/viewer/${film}`);
    await shows(page, { frame: 1, image: film });
    await expect.poll(() => liveContexts(page)).toBe(probes + 1);
    await visit(page, '/view-images');
    await expect.poll(() => liveContexts(page)).toBe(probes);
  }
});

/** Opens the film with the marks of the tests before, and holds the picture back until the marks have been there to draw. */
async function seeLatePicture(page: Page): Promise<void> {
  const first = (url: URL) => url.pathname.endsWith(`${film}/frames/1`);
  await page.route(first, async (route) => {
    await page.locator('[data-measure]').first().waitFor({ state: 'attached' });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await route.continue();
  });
  await openFilm(page);
  await page.locator('[data-viewport] svg line').first().waitFor({ state: 'attached' });
  await page.unroute(first);
}

test('Without WebGL, the same tools give the same values.', async () => {
  const person = await Person.arrive(product, without, { ...sara, password }, { viewport: window });
  others.push(person);
  await person.enter();
  const { page } = person;
  await seeLatePicture(page);
  // A mark of the test before would take the first drag at its place.
  await person.call(`/upload/image/${film}/annotations`, 'DELETE');
  await openPicture(page);
  await openFilm(page);
  await measureAll(page);
  await seeValuesKept();
  await useTools(page);
  // Keys and play are the same code with WebGL and without.
  await panes(page).first().hover();
  await page.mouse.wheel(0, 100);
  await shows(page, { frame: 2 });
  await person.leave({ close: true });
});

/** Two fingers that part zoom, and two that move together move the picture. */
async function pinchAndMove(page: Page): Promise<void> {
  await swipe(
    page,
    [
      [-30, 0],
      [-90, 0],
    ],
    [
      [30, 0],
      [90, 0],
    ],
  );
  await page.locator('[data-viewport]:not([data-zoom="1"])').waitFor();
  await expect.poll(async () => Number(await panes(page).first().getAttribute('data-zoom'))).toBeGreaterThan(1.5);
  await press(page, 'Reset');
  await shows(page, { zoom: 1 });
  const before = await brightColumn(page);
  await swipe(
    page,
    [
      [-60, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [60, 0],
    ],
  );
  await expect.poll(() => brightColumn(page)).toBeGreaterThan(before + 30);
  await press(page, 'Reset');
}

/** Checks that the words at an arrow are whole, and that the pane cuts none of them. */
async function wordsAreInside(page: Page, text: string): Promise<void> {
  const words = page.locator('[data-viewport] svg text', { hasText: text.slice(0, 10) });
  await words.waitFor();
  const said = async () => (await words.locator('tspan').allTextContents()).filter(Boolean).join(' ');
  await expect.poll(said).toBe(text);
  /** How far the words stick out of the pane. */
  const over = async () => {
    const [inner, outer] = [await words.boundingBox(), await panes(page).first().boundingBox()];
    if (!inner || !outer) throw new Error('The words are not visible.');
    return Math.max(
      outer.x - inner.x,
      outer.y - inner.y,
      inner.x + inner.width - outer.x - outer.width,
      inner.y + inner.height - outer.y - outer.height,
    );
  };
  await expect.poll(over).toBeLessThanOrEqual(0);
}

/** A finger on a mark goes through the frames, until a tap has selected the mark. Then it moves the mark. */
async function touchMark(page: Page): Promise<void> {
  const id = crypto.randomUUID();
  const mark = {
    id,
    kind: 'length',
    frame: 1,
    points: [
      [98, 128],
      [158, 128],
    ],
  };
  const arrow = {
    id: crypto.randomUUID(),
    kind: 'arrow',
    frame: 1,
    points: [
      [230, 20],
      [250, 10],
    ],
    text: 'A small shadow below the rib, '.repeat(6).trim(),
  };
  const path = `/upload/image/${film}/annotations`;
  await owner.call(path, 'PUT', { version: 0, shared: false, marks: [mark, arrow] });
  const drawn = () =>
    owner.call<Layers>(path).then(({ layers }) => layers[0]?.marks.find((one) => one.id === id)?.points[0] ?? []);
  await openFilm(page);
  await page.locator('[data-viewport] svg line').first().waitFor({ state: 'attached' });
  await wordsAreInside(page, arrow.text);
  const across: [[number, number], [number, number]] = [
    [0, 0],
    [0, 90],
  ];
  await swipe(page, across);
  await page.locator('[data-viewport]:not([data-frame="1"])').waitFor();
  await press(page, 'Reset');
  await page.locator('[data-viewport]').first().focus();
  await page.keyboard.press('Home');
  await shows(page, { frame: 1 });
  expect(await drawn()).toEqual([98, 128]);
  await panes(page).first().tap();
  await page.locator('[data-viewport] svg line[stroke="rgb(255, 240, 215)"]').first().waitFor({ state: 'attached' });
  await swipe(page, across);
  await expect.poll(async () => (await drawn())[1]).toBeGreaterThan(140);
  await shows(page, { frame: 1 });
}

test('On a phone, a finger goes through the frames, two zoom and move, and every tool is in reach, in English and in Urdu.', async ({
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
  await owner.call(`/upload/image/${film}/annotations`, 'DELETE');
  await openFilm(page);
  faults.push(...(await person.look('viewer-phone')));
  expect(await wider(page)).toBeLessThanOrEqual(0);
  await swipe(page, [
    [0, 0],
    [0, 150],
  ]);
  await page.locator('[data-viewport]:not([data-frame="1"])').waitFor();
  await pinchAndMove(page);
  await touchMark(page);
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
  // A value and its unit keep their order in a sentence from right to left.
  const measure = page.locator('[data-measure][data-kind=length]').first();
  await measure.waitFor({ state: 'attached' });
  await expect.poll(() => measure.textContent()).toMatch(/\u2066[\d.]+ mm\u2069/);
  faults.push(...(await person.look('viewer-phone-urdu')));
});

test('No screen of the viewer breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect([owner, ...others].flatMap((person) => person.complaints)).toEqual([]);
});
