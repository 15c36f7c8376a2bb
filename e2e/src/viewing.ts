import { phantomFacts } from '@lightbox/testkit/part10.js';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from './person.js';

/** The steps that the journeys of the viewer share. */

export const panes = (page: Page): Locator => page.locator('[data-viewport]');

/** True in a page whose viewer shows no picture. */
export const nothingDrawn = `!document.querySelector('[data-viewport][data-state=drawn]')`;

/** The first pane that shows a picture. */
export const drawn = (page: Page): Locator => page.locator('[data-viewport][data-state=drawn]').first();

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();

type Values = Record<string, string | number | boolean>;

const drawnWith = (values: Values): string =>
  `[data-viewport][data-state=drawn]${Object.entries(values)
    .map(([name, value]) => `[data-${name}="${value}"]`)
    .join('')}`;

/** Waits until a pane, by default the first, has values on screen. */
export const shows = (page: Page, values: Values, pane = 0): Promise<void> =>
  panes(page)
    .nth(pane)
    .and(page.locator(drawnWith(values)))
    .waitFor();

/** Returns the place of a pixel of the phantom on the page, while the picture is fitted. */
export async function places(pane: Locator): Promise<(point: readonly [number, number]) => [number, number]> {
  const box = await pane.boundingBox();
  if (!box) throw new Error('The pane is not visible.');
  const size = Math.min(box.width, box.height) / phantomFacts.side;
  const middle = phantomFacts.side / 2 - 0.5;
  return ([x, y]) => [box.x + box.width / 2 + (x - middle) * size, box.y + box.height / 2 + (y - middle) * size];
}

export async function drag({ mouse }: Page, from: [number, number], to: [number, number]): Promise<void> {
  await mouse.move(...from);
  await mouse.down();
  await mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 3 });
  await mouse.move(...to, { steps: 3 });
  await mouse.up();
}

/** Draws a rectangle over the upper left part of the picture. */
export async function drawOn(page: Page, surface: Locator): Promise<void> {
  await surface.locator('img').waitFor();
  // It waits until the picture rests: the text above it may still come.
  await surface.hover({ position: { x: 5, y: 5 } });
  const box = await surface.boundingBox();
  if (!box) throw new Error('The picture is not shown.');
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 40, { steps: 4 });
  await page.mouse.up();
}

/**
 * Makes a measurement by `act` and waits until its value is the expected one. A row of an earlier measurement of this kind
 * is never read in its place: the list on the screen is drawn a moment after the measurement was made.
 */
export async function measures(
  page: Page,
  kind: string,
  expected: { value: number; within?: number; unit: string },
  act: () => Promise<void>,
): Promise<void> {
  const rows = page.locator(`[data-measure][data-kind=${kind}]`);
  const made = rows.nth(await rows.count());
  await act();
  await made.waitFor({ state: 'attached' });
  const { value, within = 0, unit } = expected;
  await expect
    .poll(async () => Math.abs(Number(await made.getAttribute('data-value')) - value))
    .toBeLessThanOrEqual(within);
  expect(await made.getAttribute('data-unit')).toBe(unit);
}

type Point = readonly [x: number, y: number];

/** Moves fingers over the first pane, each from one point to another. Points count from the middle of the pane. */
export async function swipe(page: Page, ...fingers: readonly [from: Point, to: Point][]): Promise<void> {
  const box = await panes(page).first().boundingBox();
  if (!box) throw new Error('The pane is not visible.');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const client = await page.context().newCDPSession(page);
  const send = (type: string, at?: number) =>
    client.send('Input.dispatchTouchEvent', {
      type: type as 'touchStart',
      touchPoints:
        at === undefined
          ? []
          : fingers.map(([from, to], id) => ({
              id,
              x: x + from[0] + (to[0] - from[0]) * at,
              y: y + from[1] + (to[1] - from[1]) * at,
            })),
    });
  await send('touchStart', 0);
  for (let step = 1; step <= 15; step++) await send('touchMove', step / 15);
  await send('touchEnd');
  await client.detach();
}

/** Returns the column of the canvas, in CSS pixels, in which the picture has its centre of brightness. */
export const brightColumn = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const canvas = document.querySelector('[data-viewport] canvas');
    const { width, height, clientWidth } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    let [sum, moment] = [0, 0];
    for (let at = 0; at < data.length; at += 4) {
      sum += data[at];
      moment += data[at] * ((at / 4) % width);
    }
    return (moment / sum) * (clientWidth / width);
  })()`);

/** Waits until the person's viewer is blank, and returns the time at which it became so. */
export const blank = (person: Person): Promise<number> =>
  person.whenTrue(
    `document.querySelector('[data-viewport][data-state=failed]') && !document.querySelector('canvas, img[src^="blob:"], img[src^="data:image"]')`,
  );

/** A PDF with one line of text on each page. */
export function pdf(...lines: readonly string[]): Buffer {
  const pages = lines.map((_, i) => 4 + 2 * i);
  const bodies = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((n) => `${n} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...lines.flatMap((text, i) => {
      const stream = `BT /F1 24 Tf 40 500 Td (${text}) Tj ET`;
      const resources = '/Resources << /Font << /F1 3 0 R >> >>';
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 600] ${resources} /Contents ${5 + 2 * i} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const offsets = bodies.map((body, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${body}\nendobj\n`;
    return String(offset).padStart(10, '0');
  });
  const rows = ['0000000000 65535 f ', ...offsets.map((offset) => `${offset} 00000 n `)].join('\n');
  const size = bodies.length + 1;
  return Buffer.from(
    `${text}xref\n0 ${size}\n${rows}\ntrailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}
