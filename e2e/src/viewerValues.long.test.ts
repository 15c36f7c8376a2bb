import { element, item, partTen, phantomFacts, shorts } from '@lightbox/testkit/part10.js';
import type { Browser, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { asGraphicsCard, launchChromium, withoutWebGl } from './chromium.js';
import { test } from './journey.js';
import { enterProviders, Person, password } from './person.js';
import { visit } from './screens/judge.js';
import { drag, measures, panes, places, press, shows } from './viewing.js';

/** A picture whose rescale has fractions, as maps of MR and PET have, on devices that differ in what they can draw. */
const nimra = { email: 'nimra.latif@example.org', username: 'nimra.latif', firstname: 'Nimra', lastname: 'Latif' };
const { side } = phantomFacts;
/** The values of three stripes, and their places. */
const stripes = [5, 15.5, 25];
const middles = [40, 128, 215];

let owner: Person;
let without: Browser;
let map = '';
/** Pictures whose window is drawn by a function that is not the linear one. */
let exact = '';
let curve = '';
/** A film whose frames have different functions. */
let film = '';
/** The same two pictures, whose values and windows are a hundredth. */
let exactSmall = '';
let curveSmall = '';
/** A film whose values are below 0.01, without a window. */
let smallFilm = '';
/** A picture of 8 bits with a sign. */
let signed = '';
/** A picture without a window whose first stripe is padding. */
let padded = '';
/** A picture whose values are below 0.01, without a window. */
let small = '';
const others: Person[] = [];

/** Returns a file of greys. `more`: elements behind those of the picture. */
function greys(
  modality: string,
  { bits, sign }: { bits: 8 | 16; sign: 0 | 1 },
  more: Buffer[],
  pixels: Buffer,
): Buffer {
  return partTen(
    Buffer.concat([
      element(0x00080060, 'CS', modality),
      element(0x00280002, 'US', 1),
      element(0x00280004, 'CS', 'MONOCHROME2'),
      element(0x00280010, 'US', side),
      element(0x00280011, 'US', side),
      element(0x00280100, 'US', bits),
      element(0x00280101, 'US', bits),
      element(0x00280102, 'US', bits - 1),
      element(0x00280103, 'US', sign),
      ...more,
      element(0x7fe00010, bits === 8 ? 'OB' : 'OW', pixels),
    ]),
  );
}

/** Returns the values of a picture of three stripes, one for each. */
const inStripes = (values: readonly number[]): number[] =>
  Array.from({ length: side * side }, (_, i) => values[Math.floor(((i % side) / side) * 3)] as number);

/** Returns one or two frames of the stripes: a single one is padded. `rescale`: its window, if it has one, its intercept and its slope. */
function striped(...rescale: Buffer[]): Buffer {
  const pixels = shorts(...inStripes(stripes.map((value) => Math.round((value + 5) * 100))));
  return greys('MR', { bits: 16, sign: 0 }, rescale, Buffer.concat([pixels, pixels]));
}

/** The values of stripes that are bytes with a sign. */
const signedStripes = [-100, -1, 90];

/** Returns them without a window and with padding, or with a window. */
function signedBytes(padding?: number): Buffer {
  const more =
    padding === undefined
      ? [element(0x00281050, 'DS', '0'), element(0x00281051, 'DS', '256')]
      : [element(0x00280120, 'SS', padding)];
  return greys('OT', { bits: 8, sign: 1 }, more, Buffer.from(Int8Array.from(inStripes(signedStripes)).buffer));
}

/** Hides from a page that its graphics card interpolates numbers with fractions. Many phones have no such card. */
const withoutFloatLinear = `const find = WebGL2RenderingContext.prototype.getExtension;
WebGL2RenderingContext.prototype.getExtension = function (name) {
  return name === 'OES_texture_float_linear' ? null : find.call(this, name);
};`;

test.beforeAll(async ({ browser, shared }) => {
  without = await launchChromium(withoutWebGl);
  [owner] = (await enterProviders(shared, browser, nimra)) as [Person];
  const upload = async (caption: string, ...rescale: [number, string, vr?: string][]) => {
    const buffer = striped(...rescale.map(([tag, value, vr = 'DS']) => element(tag, vr, value)));
    return (await owner.upload(caption, { name: 'map', mimeType: 'application/dicom', buffer })).id;
  };
  map = await upload('Map', [0x00281050, '15.5'], [0x00281051, '41'], [0x00281052, '-5'], [0x00281053, '0.01']);
  const byFunction = (named: string, by = 1) =>
    upload(
      named,
      [0x00281050, `${15.5 * by}`],
      [0x00281051, `${25 * by}`],
      [0x00281052, `${-5 * by}`],
      [0x00281053, `${0.01 * by}`],
      [0x00281056, named, 'CS'],
    );
  exact = await byFunction('LINEAR_EXACT');
  curve = await byFunction('SIGMOID');
  exactSmall = await byFunction('LINEAR_EXACT', 0.01);
  curveSmall = await byFunction('SIGMOID', 0.01);
  const voi = (named: string) => {
    const window = [
      element(0x00281050, 'DS', '15.5'),
      element(0x00281051, 'DS', '25'),
      element(0x00281056, 'CS', named),
    ];
    return item(element(0x00289132, 'SQ', item(Buffer.concat(window))));
  };
  const rescale = [element(0x00281052, 'DS', '-5'), element(0x00281053, 'DS', '0.01')];
  const groups = element(0x52009230, 'SQ', Buffer.concat([voi('SIGMOID'), voi('LINEAR')]));
  const buffer = striped(element(0x00280008, 'IS', '2'), ...rescale, groups);
  film = (await owner.upload('Film', { name: 'film', mimeType: 'application/dicom', buffer })).id;
  const uploadBytes = async (caption: string, buffer: Buffer) =>
    (await owner.upload(caption, { name: 'bytes', mimeType: 'application/dicom', buffer })).id;
  signed = await uploadBytes('Signed', signedBytes());
  padded = await uploadBytes('Padded', signedBytes(signedStripes[0]));
  small = await upload('Map of small values', [0x00281052, '0'], [0x00281053, '0.000001']);
  smallFilm = await upload(
    'Film of small values',
    [0x00280008, '2', 'IS'],
    [0x00281052, '0'],
    [0x00281053, '0.000001'],
  );
});

afterAll(async () => {
  await Promise.all([owner, ...others].map((person) => person?.leave({ close: true })));
  await without?.close();
});

/** Returns the brightness of the canvas at places of the page. */
const brightness = (page: Page, at: readonly (readonly [number, number])[]): Promise<number[]> =>
  page.evaluate<number[]>(`(() => {
    const canvas = document.querySelector('[data-viewport] canvas');
    const { width, height } = canvas;
    const { left, top, width: shown } = canvas.getBoundingClientRect();
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const scale = width / shown;
    return ${JSON.stringify(at)}.map(
      ([x, y]) => copy.getImageData(Math.round((x - left) * scale), Math.round((y - top) * scale), 1, 1).data[0],
    );
  })()`);

test.for([
  ['on a graphics card', [asGraphicsCard]],
  ['on a graphics card that interpolates no fractions', [asGraphicsCard, withoutFloatLinear]],
  ['without WebGL', []],
] as const)('Values with fractions are drawn and measured %s.', async ([, scripts], { browser, shared }) => {
  const chromium = scripts.length > 0 ? browser : without;
  const person = await Person.arrive(
    shared,
    chromium,
    { ...nimra, password },
    { viewport: { width: 1100, height: 700 } },
  );
  others.push(person);
  for (const script of scripts) await person.page.addInitScript(script);
  await person.enter();
  const { page } = person;
  await page.goto(`/viewer/${map}`);
  await shows(page, { image: map, center: 15.5, width: 41 });
  const at = await places(panes(page).first());
  const seen = () =>
    brightness(
      page,
      middles.map((x) => at([x, 128])),
    );
  // The window goes from -5 to 35.
  await expect.poll(seen).toEqual([64, 131, 191].map((level) => expect.closeTo(level, -0.5)));
  await press(page, 'Full range');
  await shows(page, { center: 15.5, width: 21 });
  const all = [0, 134, 255].map((level) => expect.closeTo(level, -0.5));
  await expect.poll(seen).toEqual(all);
  await press(page, 'Probe');
  for (const [i, x] of middles.entries()) {
    const value = { value: stripes[i] as number, within: 0.001, unit: '' };
    await measures(page, 'probe', value, () => drag(page, at([x, 60]), at([x, 80 + i * 40])));
  }
  await visit(page, `/viewer/${small}`);
  await shows(page, { image: small });
  await expect.poll(seen).toEqual(all);
  // PS3.3 §C.11.2.1.3
  for (const [image, levels] of [
    [exact, [20, 128, 224]],
    [curve, [40, 128, 209]],
  ] as const) {
    await visit(page, `/viewer/${image}`);
    await shows(page, { image, center: 15.5, width: 25 });
    await expect.poll(seen).toEqual(levels.map((level) => expect.closeTo(level, -0.5)));
  }
  // A window may be narrower than 1 with these functions.
  for (const [image, levels] of [
    [exactSmall, [20, 128, 224]],
    [curveSmall, [40, 128, 209]],
  ] as const) {
    await visit(page, `/viewer/${image}`);
    await shows(page, { image, width: 0.25 });
    await expect.poll(seen).toEqual(levels.map((level) => expect.closeTo(level, -0.5)));
  }
  // A window of small values that a person changes stays for the next frame.
  await visit(page, `/viewer/${smallFilm}`);
  await shows(page, { image: smallFilm, frame: 1 });
  await press(page, 'Window');
  await drag(page, at([128, 60]), at([128, 188]));
  await expect.poll(async () => (await seen())[1]).toBeLessThan(120);
  const darker = (await seen()).map((level) => expect.closeTo(level, -0.5));
  await panes(page).first().focus();
  await page.keyboard.press('End');
  await shows(page, { image: smallFilm, frame: 2 });
  await expect.poll(seen).toEqual(darker);
  await visit(page, `/viewer/${curve}`);
  await shows(page, { image: curve, center: 15.5, width: 25 });
  // A window that a person changes keeps the curve.
  await press(page, 'Window');
  await drag(page, at([60, 128]), at([180, 128]));
  const { center, width } = await page.evaluate<{ center: number; width: number }>(`(() => {
    const { center, width } = document.querySelector('[data-viewport]').dataset;
    return { center: Number(center), width: Number(width) };
  })()`);
  expect(width).toBeGreaterThan(26);
  const wider = stripes.map((value) => 255 / (1 + Math.exp((-4 * (value - center)) / width)));
  await expect.poll(seen).toEqual(wider.map((level) => expect.closeTo(level, -0.5)));
  await visit(page, `/viewer/${film}`);
  for (const [frame, levels] of [
    [1, [40, 128, 209]],
    [2, [21, 133, 234]],
    [1, [40, 128, 209]],
  ] as const) {
    await panes(page).first().focus();
    await page.keyboard.press(frame === 1 ? 'Home' : 'End');
    await shows(page, { image: film, frame, center: 15.5, width: 25 });
    await expect.poll(seen).toEqual(levels.map((level) => expect.closeTo(level, -0.5)));
  }
  await press(page, 'Invert');
  await expect.poll(seen).toEqual([215, 128, 46].map((level) => expect.closeTo(level, -0.5)));
  await page.keyboard.press('End');
  await expect.poll(seen).toEqual([234, 122, 21].map((level) => expect.closeTo(level, -0.5)));
  await visit(page, `/viewer/${signed}`);
  await shows(page, { image: signed, center: 0, width: 256 });
  await expect.poll(seen).toEqual([28, 127, 218].map((level) => expect.closeTo(level, -0.5)));
  await press(page, 'Probe');
  for (const [i, x] of middles.entries()) {
    const value = { value: signedStripes[i] as number, within: 0.001, unit: '' };
    await measures(page, 'probe', value, () => drag(page, at([x, 60]), at([x, 80 + i * 40])));
  }
  await visit(page, `/viewer/${padded}`);
  await shows(page, { image: padded, center: 45, width: 92 });
  await expect.poll(seen).toEqual([0, 0, 255]);
  expect(person.complaints).toEqual([]);
});
