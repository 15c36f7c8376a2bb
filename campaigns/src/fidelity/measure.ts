import type { Values } from '@lightbox/workers/testing/viewerFrame.js';

/** Returns the correlation of two pictures; null when one of them is flat. */
export function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
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
export function meanDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs((a[i] as number) - (b[i] as number));
  return sum / (a.length || 1);
}

/** Scales a picture down: every pixel is the mean of the area that it covers. */
export function scaled(
  { width, height, samples, values }: Values,
  to: { width: number; height: number },
): Float64Array {
  const out = new Float64Array(to.width * to.height * samples);
  const columns = Array.from({ length: to.width }, (_, x) => covered(x, width, to.width));
  for (let y = 0; y < to.height; y++) {
    const rows = covered(y, height, to.height);
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
  return out;
}

/** Returns the pixels that a scaled pixel covers, each with its covered share. */
function covered(at: number, from: number, to: number): [pixel: number, share: number][] {
  const [start, end] = [(at * from) / to, ((at + 1) * from) / to];
  const pixels: [number, number][] = [];
  for (let pixel = Math.floor(start); pixel < end && pixel < from; pixel++) {
    pixels.push([pixel, Math.min(end, pixel + 1) - Math.max(start, pixel)]);
  }
  return pixels;
}
