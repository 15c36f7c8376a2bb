import type { TextPlace } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import type { GreyImage } from './measure.js';

/** A connected shape that stands out from its surroundings. */
interface Shape {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  pixels: number;
  /** Brightness that nearly all of its pixels reach, from the background. */
  level: number;
}

/** Half the side of the square whose mean is the background of a pixel. */
const AROUND = 20;
/** Steps of brightness by which a letter stands out from its background. */
const CONTRAST = 56;
/** Pixels between the top and the bottom of a letter. */
const HEIGHT = { least: 6, most: 56 } as const;
/** Shapes of similar height on one line. A single letter marks a side, and two or three are no name. */
const LEAST_LETTERS = 5;

/**
 * Finds places that look like printed text: small shapes of one brightness, of similar height, close together on one line.
 * Letters of a printer or of a screen have one brightness and sharp edges; bones, vessels and noise have not.
 */
export function findText(image: GreyImage): TextPlace[] {
  const background = backgroundOf(image);
  const found = [1, -1].flatMap((sign) => linesOf(shapesOf(image, background, sign)));
  return found
    .sort((a, b) => b.letters - a.letters)
    .slice(0, limits.textPlaces)
    .map(({ letters: _, ...place }) => place);
}

/** Returns the mean of the square around each pixel, by sums over rectangles. */
function backgroundOf({ width, height, pixels }: GreyImage): Float32Array {
  const stride = width + 1;
  const sums = new Float64Array(stride * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += pixels[y * width + x] as number;
      sums[(y + 1) * stride + x + 1] = (sums[y * stride + x + 1] as number) + row;
    }
  }
  const means = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const [top, bottom] = [Math.max(0, y - AROUND) * stride, Math.min(height, y + AROUND + 1) * stride];
    for (let x = 0; x < width; x++) {
      const [left, right] = [Math.max(0, x - AROUND), Math.min(width, x + AROUND + 1)];
      const total =
        (sums[bottom + right] as number) -
        (sums[top + right] as number) -
        (sums[bottom + left] as number) +
        (sums[top + left] as number);
      means[y * width + x] = total / (((bottom - top) / stride) * (right - left));
    }
  }
  return means;
}

/** Returns the connected shapes that are brighter than their background (`sign` 1) or darker (-1), and have a letter's size. */
function shapesOf({ width, height, pixels }: GreyImage, background: Float32Array, sign: number): Shape[] {
  const difference = (at: number) => sign * ((pixels[at] as number) - (background[at] as number));
  const seen = new Uint8Array(width * height);
  const shapes: Shape[] = [];
  const waiting: number[] = [];
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] || difference(start) < CONTRAST) continue;
    const shape: Shape = { x0: width, y0: height, x1: 0, y1: 0, pixels: 0, level: 0 };
    let [edges, steep] = [0, 0];
    const levels = new Uint32Array(256);
    seen[start] = 1;
    waiting.push(start);
    while (waiting.length > 0) {
      const at = waiting.pop() as number;
      const [x, y] = [at % width, Math.floor(at / width)];
      shape.pixels++;
      levels[pixels[at] as number] = (levels[pixels[at] as number] as number) + 1;
      shape.x0 = Math.min(shape.x0, x);
      shape.x1 = Math.max(shape.x1, x);
      shape.y0 = Math.min(shape.y0, y);
      shape.y1 = Math.max(shape.y1, y);
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
          const next = at + dy * width + dx;
          if (difference(next) < CONTRAST) {
            if (dx !== 0 && dy !== 0) continue;
            edges++;
            if (sign * ((pixels[at] as number) - (pixels[next] as number)) >= CONTRAST) steep++;
          } else if (!seen[next]) {
            seen[next] = 1;
            waiting.push(next);
          }
        }
      }
    }
    const peak = sign > 0 ? levels.findLastIndex(Boolean) : levels.findIndex(Boolean);
    shape.level = peak;
    if (isLetter(shape) && steep >= edges / 2) shapes.push(shape);
  }
  return shapes;
}

function isLetter({ x0, y0, x1, y1, pixels }: Shape): boolean {
  const [width, height] = [x1 - x0 + 1, y1 - y0 + 1];
  return (
    height >= HEIGHT.least &&
    height <= HEIGHT.most &&
    width <= height * 1.6 &&
    pixels >= height &&
    // A filled disc or rectangle is no letter, but for the thin ones.
    (pixels / (width * height) < 0.75 || width < height / 2)
  );
}

interface Line extends TextPlace {
  letters: number;
}

/** Steps of brightness between the letters of one line. */
const SAME_LEVEL = 24;

/** Joins shapes to lines: each letter is followed, within two heights, by one of similar height, level and brightness. */
function linesOf(shapes: Shape[]): Line[] {
  const left = [...shapes].sort((a, b) => a.x0 - b.x0);
  const lines: Line[] = [];
  const taken = new Set<Shape>();
  for (const first of left) {
    if (taken.has(first)) continue;
    const line = [first];
    let last = first;
    for (const next of left) {
      if (taken.has(next) || next.x0 <= last.x1) continue;
      if (next.x0 - last.x1 > 2 * heightOf(last)) break;
      if (!follows(last, next)) continue;
      line.push(next);
      last = next;
    }
    if (line.length < LEAST_LETTERS) continue;
    for (const letter of line) taken.add(letter);
    lines.push({
      x0: Math.min(...line.map(({ x0 }) => x0)),
      y0: Math.min(...line.map(({ y0 }) => y0)),
      x1: Math.max(...line.map(({ x1 }) => x1)) + 1,
      y1: Math.max(...line.map(({ y1 }) => y1)) + 1,
      letters: line.length,
    });
  }
  return lines;
}

const heightOf = ({ y0, y1 }: Shape): number => y1 - y0 + 1;

function follows(last: Shape, next: Shape): boolean {
  const [a, b] = [heightOf(last), heightOf(next)];
  return (
    Math.max(a, b) <= 1.6 * Math.min(a, b) &&
    Math.abs(last.y1 - next.y1) <= 0.4 * Math.max(a, b) &&
    Math.abs(last.level - next.level) <= SAME_LEVEL
  );
}
