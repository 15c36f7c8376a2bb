import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { textOf } from './decode.js';
import { findText } from './findText.js';
import type { GreyImage } from './measure.js';

/** Letters of 5 × 7 dots, one number for each row. */
const letters: Record<string, number[]> = {
  A: [4, 10, 17, 17, 31, 17, 17],
  H: [17, 17, 17, 31, 17, 17, 17],
  I: [14, 4, 4, 4, 4, 4, 14],
  K: [17, 18, 20, 24, 20, 18, 17],
  N: [17, 25, 21, 19, 17, 17, 17],
  '1': [4, 12, 4, 4, 4, 4, 14],
  '7': [31, 1, 2, 4, 8, 8, 8],
};

/** A picture of noise around a grey, of this size. The noise is the same in every run. */
function grey(width: number, height: number, level: number): GreyImage {
  let seed = 7;
  const next = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
  return { width, height, pixels: Uint8Array.from({ length: width * height }, () => level + 30 * (next() - 0.5)) };
}

function write({ width, pixels }: GreyImage, text: string, at: { x: number; y: number; dot: number; level: number }) {
  [...text].forEach((letter, place) => {
    (letters[letter] ?? []).forEach((row, y) => {
      for (let x = 0; x < 5; x++) {
        if (!((row >> (4 - x)) & 1)) continue;
        for (let i = 0; i < at.dot ** 2; i++) {
          const [dx, dy] = [i % at.dot, Math.floor(i / at.dot)];
          pixels[(at.y + y * at.dot + dy) * width + at.x + (place * 6 + x) * at.dot + dx] = at.level;
        }
      }
    });
  });
}

it.each([
  ['white on black, at the top', { x: 12, y: 8, dot: 2, level: 250 }, 20],
  ['black on white, at the bottom', { x: 40, y: 200, dot: 3, level: 4 }, 225],
  ['as small as a screen writes it', { x: 300, y: 12, dot: 1, level: 255 }, 60],
])('A name in a picture is found: %s.', (_what, at, background) => {
  const image = grey(480, 240, background);
  write(image, 'KHAN 1771', at);
  const [place, ...more] = findText(image);
  expect(more).toEqual([]);
  expect(place).toEqual({ x0: at.x, y0: at.y, x1: at.x + 53 * at.dot - 1 * at.dot, y1: at.y + 7 * at.dot });
});

it('Noise, edges and the letter that marks a side are no text.', () => {
  const image = grey(480, 240, 90);
  write(image, 'H', { x: 20, y: 20, dot: 5, level: 255 });
  for (let y = 40; y < 200; y++) image.pixels.fill(230, y * 480 + 200, y * 480 + 260);
  expect(findText(image)).toEqual([]);
});

it.each(['chest-xray.jpg', 'hand-xray.jpg', 'liver-ultrasound.png'])(
  '%s of the demonstration has no text.',
  async (name) => {
    const bytes = readFileSync(join(import.meta.dirname, '../../../backend/assets/demo', name));
    expect(await textOf(bytes, name.endsWith('png') ? 'image/png' : 'image/jpeg')).toEqual([]);
  },
);

it('Places are those of the upright picture in its own pixels, also of one that is looked at smaller.', async () => {
  const image = grey(3000, 500, 20);
  write(image, 'NINA KHAN', { x: 1500, y: 100, dot: 6, level: 250 });
  const bytes = await sharp(image.pixels, { raw: { width: 3000, height: 500, channels: 1 } })
    .png()
    .toBuffer();
  const [{ x0, y0, x1, y1 } = { x0: 0, y0: 0, x1: 0, y1: 0 }] = await textOf(bytes, 'image/png');
  for (const [found, drawn] of [
    [x0, 1500],
    [y0, 100],
    [x1, 1500 + 53 * 6],
    [y1, 100 + 7 * 6],
  ] as const) {
    expect(Math.abs(found - drawn)).toBeLessThanOrEqual(4);
  }
});
