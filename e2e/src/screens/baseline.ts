import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { pictures } from '../person.js';

const folder = join(import.meta.dirname, '../../baselines');
/** True when the run takes new baselines. */
export const renewing = process.env.RENEW_BASELINES === '1';

/** A baseline is half as wide as the screen. */
const keptScale = 0.5;
/**
 * The comparison scales both pictures to a twelfth. A letter is then smaller than a pixel: another font smoothing or another
 * minute on a clock changes nothing. A part that has moved, is missing or has another colour changes the picture.
 */
const comparedScale = 1 / 12;
/** The allowed difference of a colour channel of a pixel, of 255. */
const tolerance = 20;
/** The allowed share of pixels with a larger difference. */
const share = 0.01;

/** Runs in an empty page: scales the picture down, and returns the share of pixels that differ from the baseline. */
const compare = `async ({ now, kept, keptScale, comparedScale, tolerance }) => {
  const load = async (address) => createImageBitmap(await (await fetch(address)).blob());
  const draw = (bitmap, width, height) => {
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width, height });
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, width, height);
    return canvas;
  };
  const picture = await load(now);
  const { width, height } = picture;
  const keep = draw(picture, width * keptScale, height * keptScale).toDataURL('image/webp', 0.7);
  const before = await load(kept ?? keep);
  const size = [Math.round(width * comparedScale), Math.round(height * comparedScale)];
  // Both pictures were scaled and encoded in the same way.
  const dots = [await load(keep), before].map((bitmap) => draw(bitmap, ...size).getContext('2d').getImageData(0, 0, ...size).data);
  let off = 0;
  for (let at = 0; at < dots[0].length; at += 4) {
    if ([0, 1, 2].some((part) => Math.abs(dots[0][at + part] - dots[1][at + part]) > tolerance)) off += 1;
  }
  return { keep, differs: (off * 4) / dots[0].length };
}`;

const base64 = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`;

/** The empty page that compares pictures. It closes with its browser. */
let comparing: Promise<Page> | undefined;

/** Takes a screenshot. Masks the parts that differ in every run and are large enough to matter. */
export const shootScreen = (page: Page, masked: string): Promise<Buffer> =>
  page.screenshot({ mask: masked ? [page.locator(masked)] : [], maskColor: '#808080', animations: 'disabled' });

/** Returns the difference between a screen and its baseline, if any. With RENEW_BASELINES=1 it replaces the baseline. */
export async function differs(browser: Browser, name: string, picture: Buffer): Promise<string[]> {
  const file = join(folder, `${name}.webp`);
  const kept = !renewing && existsSync(file) ? base64('webp', readFileSync(file)) : undefined;
  if (!kept && !renewing) return [`${name}: no picture is kept; run \`npm run baselines\``];
  comparing ??= browser.newPage();
  const page = await comparing;
  const asked = { now: base64('png', picture), kept, keptScale, comparedScale, tolerance };
  const { keep, differs } = await page.evaluate<{ keep: string; differs: number }>(
    `(${compare})(${JSON.stringify(asked)})`,
  );
  if (renewing) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, Buffer.from(keep.split(',')[1] ?? '', 'base64'));
    return [];
  }
  if (differs > share) writeFileSync(join(pictures, `differs-${name}.png`), picture);
  return differs > share ? [`${name}: ${(differs * 100).toFixed(1)} % differ from the kept picture`] : [];
}
