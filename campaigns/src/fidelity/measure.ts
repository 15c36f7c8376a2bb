import type { Values } from '@lightbox/workers/testing/viewerFrame.js';

/** At least this correlation, or for colours of 8 bits at most this mean difference. */
const CORRELATION = 0.95;
const DIFFERENCE = 4;

/** Returns the correlation of two pictures; null when one of them is flat. */
function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  const n = Math.min(a.length, b.length);
  const [meanA, meanB] = [mean(a), mean(b)];
  let [both, squaresA, squaresB] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const [x, y] = [(a[i] as number) - meanA, (b[i] as number) - meanB];
    both += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  return squaresA === 0 || squaresB === 0 ? null : both / Math.sqrt(squaresA * squaresB);
}

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum / (values.length || 1);
}

/** Returns the mean difference of two pictures of 8 bits, and of all their colours. */
function meanDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs((a[i] as number) - (b[i] as number));
  return sum / (a.length || 1);
}

/** Returns a text with the agreement of two pictures, and true when they agree. */
export function compare(
  ours: ArrayLike<number>,
  theirs: ArrayLike<number>,
  isColour: boolean,
): { text: string; ok: boolean } {
  if (ours.length !== theirs.length) return { text: `${ours.length} values, not ${theirs.length}`, ok: false };
  const r = correlation(ours, theirs);
  const difference = meanDifference(ours, theirs);
  if (r === null && !isColour) return { text: 'flat', ok: isFlat(ours) && isFlat(theirs) };
  const ok = (r !== null && r > CORRELATION) || (isColour && difference <= DIFFERENCE);
  return { text: `r ${r?.toFixed(4) ?? '–'}${isColour ? `, Δ ${difference.toFixed(2)}` : ''}`, ok };
}

function isFlat(values: ArrayLike<number>): boolean {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false;
  return true;
}

interface Size {
  width: number;
  height: number;
}

/** Scales a picture: every pixel is the mean of the area that it covers. */
export const scaled = (picture: Values, to: Size): Float64Array =>
  cut(picture, { left: 0, top: 0, width: picture.width, height: picture.height }, to).values as Float64Array;

/** Cuts a part out of a picture, whose edges may lie within pixels, and scales it. */
export function cut(
  { width, height, samples, values }: Values,
  part: Size & { left: number; top: number },
  to: Size,
): Values {
  const out = new Float64Array(to.width * to.height * samples);
  const columns = Array.from({ length: to.width }, (_, x) => covered(part.left, part.width / to.width, x, width));
  for (let y = 0; y < to.height; y++) {
    const rows = covered(part.top, part.height / to.height, y, height);
    for (const [x, column] of columns.entries()) {
      for (let sample = 0; sample < samples; sample++) {
        let [sum, area] = [0, 0];
        for (const [row, tall] of rows) {
          for (const [at, wide] of column) {
            sum += tall * wide * (values[(row * width + at) * samples + sample] as number);
            area += tall * wide;
          }
        }
        out[(y * to.width + x) * samples + sample] = sum / area;
      }
    }
  }
  return { ...to, samples, values: out };
}

/** Returns the pixels that a scaled pixel covers, each with its covered share. */
function covered(first: number, step: number, at: number, end: number): [pixel: number, share: number][] {
  const [from, to] = [first + at * step, first + (at + 1) * step];
  const pixels: [number, number][] = [];
  for (let pixel = Math.floor(from); pixel < to && pixel < end; pixel++) {
    pixels.push([pixel, Math.min(to, pixel + 1) - Math.max(from, pixel)]);
  }
  return pixels;
}
