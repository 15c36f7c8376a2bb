import type { Point } from './measuring.js';
import type { MarkKind, PixelValues } from './schemas.js';

/** The ends of the two axes of an ellipse, in pixels. */
export type Ellipse = readonly [Point, Point, Point, Point];

/** A frame whose values have gone through the modality LUT. */
export interface Frame {
  rows: number;
  columns: number;
  getPixelData: () => ArrayLike<number>;
}

interface Statistics {
  mean: number;
  deviation: number;
  pixels: number;
}

const middle = (a: Point, b: Point): Point => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
const between = (a: Point, b: Point): Point => [(b[0] - a[0]) / 2, (b[1] - a[1]) / 2];

/** Returns mean and standard deviation of the pixels whose middle lies in the ellipse; undefined when none does. */
export function statisticsIn(image: Frame, [a, b, c, d]: Ellipse): Statistics | undefined {
  const [x0, y0] = middle(middle(a, b), middle(c, d));
  const [u, v] = [between(a, b), between(c, d)];
  const det = u[0] * v[1] - u[1] * v[0];
  if (Math.abs(det) < 1e-9) return undefined;
  const [reachX, reachY] = [Math.hypot(u[0], v[0]), Math.hypot(u[1], v[1])];
  const values = image.getPixelData();
  let [sum, squares, pixels] = [0, 0, 0];
  const last = (size: number, at: number) => Math.min(size - 1, Math.floor(at));
  for (let y = Math.max(0, Math.ceil(y0 - reachY)); y <= last(image.rows, y0 + reachY); y++) {
    for (let x = Math.max(0, Math.ceil(x0 - reachX)); x <= last(image.columns, x0 + reachX); x++) {
      const s = ((x - x0) * v[1] - (y - y0) * v[0]) / det;
      const t = ((y - y0) * u[0] - (x - x0) * u[1]) / det;
      if (s * s + t * t > 1) continue;
      const value = values[y * image.columns + x] as number;
      sum += value;
      squares += value * value;
      pixels++;
    }
  }
  if (pixels === 0) return undefined;
  const mean = sum / pixels;
  return { mean, deviation: Math.sqrt(Math.max(0, squares / pixels - mean * mean)), pixels };
}

/** Returns the value of the pixel at a point; undefined beside the picture. */
export function valueAt(image: Frame, [x, y]: Point): number | undefined {
  const [column, row] = [Math.round(x), Math.round(y)];
  if (column < 0 || row < 0 || column >= image.columns || row >= image.rows) return undefined;
  return image.getPixelData()[row * image.columns + column];
}

/** Returns the values of the pixels under a mark of a picture in grey, as its author keeps them; undefined for other marks. */
export function pixelsUnder(
  image: Frame,
  { kind, points }: { kind: MarkKind; points: readonly Point[] },
): PixelValues | undefined {
  const [a, b, c, d] = points;
  if (kind === 'probe' && a) {
    const mean = valueAt(image, a);
    return mean === undefined ? undefined : { mean };
  }
  const found = kind === 'ellipse' && a && b && c && d ? statisticsIn(image, [a, b, c, d]) : undefined;
  return found && { mean: found.mean, deviation: found.deviation };
}
