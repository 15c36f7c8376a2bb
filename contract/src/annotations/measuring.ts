import type { FrameFacts, Region } from '../images/drawing.js';
import type { MarkKind } from './schemas.js';

export type MeasureKind = Exclude<MarkKind, 'arrow'>;
export type Unit = 'mm' | 'px' | '°' | 'HU' | '';

/** A point of a frame in pixels: column and row. The middle of the first pixel is 0, 0. */
export type Point = readonly [x: number, y: number];

/** The size of a pixel at a place of the frame, and the unit of its sides. */
export interface Scale {
  x: number;
  y: number;
  unit: 'mm' | 'px';
  /** True when the size is that of the detector: the patient may be smaller than measured. */
  atDetector: boolean;
}

type Shaped = Pick<FrameFacts, 'pixelSpacing' | 'pixelAspectRatio'>;
type Spaced = Shaped & Pick<FrameFacts, 'spacingAt' | 'regions'>;

/** Returns the height and the width with which a pixel is drawn, relative to each other: square where the file says nothing. */
export const pixelShape = ({ pixelSpacing, pixelAspectRatio }: Shaped): readonly [row: number, column: number] =>
  pixelSpacing ?? pixelAspectRatio ?? [1, 1];

const inPixels: Scale = { x: 1, y: 1, unit: 'px', atDetector: false };

const contains = ({ x0, y0, x1, y1 }: Region, [x, y]: Point) => x >= x0 && x <= x1 && y >= y0 && y <= y1;

/** Returns the region whose scale is that of all points: it contains them, and whatever lies over it at a point has its scale. */
function regionOf(regions: readonly Region[], points: readonly Point[]): Region | undefined {
  const over = points.map((point) => regions.find((region) => contains(region, point)));
  return regions.find(
    (region) =>
      points.every((point) => contains(region, point)) &&
      over.every((first) => first?.deltaX === region.deltaX && first.deltaY === region.deltaY),
  );
}

/**
 * Returns the size of a pixel for a measurement between these points. In an ultrasound picture its regions decide alone: one of
 * them contains all points, such as the tissue around a box in colour, and the first region at each point has the same scale. Two
 * pictures side by side have no common scale. Without a size that the file states, the unit is the pixel.
 */
export function scaleAt(facts: Spaced, points: readonly Point[]): Scale {
  if (facts.regions?.length) {
    const region = regionOf(facts.regions, points);
    return region?.deltaX && region.deltaY
      ? { x: Math.abs(region.deltaX), y: Math.abs(region.deltaY), unit: 'mm', atDetector: false }
      : inPixels;
  }
  if (!facts.pixelSpacing) return inPixels;
  const [row, column] = facts.pixelSpacing;
  return { x: column, y: row, unit: 'mm', atDetector: facts.spacingAt === 'detector' };
}

const far = ([ax, ay]: Point, [bx, by]: Point, { x, y }: Scale) => Math.hypot((bx - ax) * x, (by - ay) * y);

export function lengthOf(facts: Spaced, from: Point, to: Point): { value: number; scale: Scale } {
  const scale = scaleAt(facts, [from, to]);
  return { value: far(from, to, scale), scale };
}

/** Returns the angle at the middle point, in degrees. Without millimetres it is that of the picture as it is drawn. */
export function angleOf(facts: Spaced, points: readonly [Point, Point, Point]): number {
  const scale = scaleAt(facts, points);
  const [row, column] = pixelShape(facts);
  const { x, y } = scale.unit === 'mm' ? scale : { x: column, y: row };
  const [a, b, c] = points;
  const one = Math.atan2((a[1] - b[1]) * y, (a[0] - b[0]) * x);
  const other = Math.atan2((c[1] - b[1]) * y, (c[0] - b[0]) * x);
  const turn = Math.abs(((one - other) * 180) / Math.PI) % 360;
  return turn > 180 ? 360 - turn : turn;
}

/** Returns the area of an ellipse from the ends of its two axes. */
export function areaOf(facts: Spaced, ends: readonly [Point, Point, Point, Point]): { value: number; scale: Scale } {
  const scale = scaleAt(facts, ends);
  const [bottom, top, left, right] = ends;
  return { value: (Math.PI * far(bottom, top, scale) * far(left, right, scale)) / 4, scale };
}

/** The unit of the values of pixels. Values of which the file states no unit have none. */
export const valueUnit = ({ modality, rescaleType, modalityLut }: FrameFacts): Unit => {
  if (modalityLut) return '';
  return rescaleType === 'HU' || (modality === 'CT' && (rescaleType === undefined || rescaleType === '')) ? 'HU' : '';
};

/** Rounds to at most two decimals, and fewer for larger values, as a person reads it. */
export const rounded = (value: number): number => {
  const decimals = Math.abs(value) >= 100 ? 1 : 2;
  return Number(value.toFixed(decimals));
};

/** The facts of one frame: those of the file, with the frame's own in their place. */
export function factsOfFrame(facts: FrameFacts, n: number): FrameFacts {
  const own = facts.perFrame?.[n - 1];
  return own ? { ...facts, ...own, windows: own.windows ?? facts.windows } : facts;
}

export interface Measured {
  value: number;
  unit: 'mm' | 'px' | '°' | 'mm²' | 'px²';
  /** True when the size of the pixels is that of the detector. */
  atDetector: boolean;
}

/**
 * Returns the value of a mark from its geometry: length, angle, or area of an ellipse. Undefined for marks whose value
 * lies in the pixels alone, and for arrows. The points must be as many as the kind has.
 */
export function measuredBy(file: FrameFacts, mark: { kind: MarkKind; frame: number; points: readonly Point[] }) {
  const facts = factsOfFrame(file, mark.frame);
  const [a, b, c, d] = mark.points as [Point, Point, Point, Point];
  const of = (value: number, unit: Measured['unit'], atDetector = false): Measured => ({ value, unit, atDetector });
  switch (mark.kind) {
    case 'length': {
      const { value, scale } = lengthOf(facts, a, b);
      return of(value, scale.unit, scale.atDetector);
    }
    case 'angle':
      return of(angleOf(facts, [a, b, c]), '°');
    case 'ellipse': {
      const { value, scale } = areaOf(facts, [a, b, c, d]);
      return of(value, `${scale.unit}²`, scale.atDetector);
    }
    default:
      return undefined;
  }
}
