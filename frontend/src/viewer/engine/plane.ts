import { getShouldUseCPURendering } from '@cornerstonejs/core';
import type { Point } from '@lightbox/contract/annotations/measuring.js';
import type { Vector } from '../orientation';

/** The plane of a frame in the room of the patient, as `moduleOf` describes it. */
export interface PlaneModule {
  imagePositionPatient: Vector;
  rowCosines: Vector;
  columnCosines: Vector;
  rowPixelSpacing: number;
  columnPixelSpacing: number;
}

/** The renderer without a graphics card counts from the corner of the first pixel, the other one from its middle. */
export const isFromCorner = () => getShouldUseCPURendering();

const shiftOf = (fromCorner: boolean) => (fromCorner ? 0.5 : 0);

/** Returns the column and row of a point in the room of the patient. The middle of the first pixel is 0, 0. */
export function pixelOf(plane: PlaneModule, world: readonly number[], fromCorner: boolean): Point {
  const from = world.map((value, i) => value - (plane.imagePositionPatient[i] ?? 0));
  const part = (axis: Vector) => axis.reduce((sum, value, i) => sum + value * (from[i] ?? 0), 0);
  return [
    part(plane.rowCosines) / plane.columnPixelSpacing - shiftOf(fromCorner),
    part(plane.columnCosines) / plane.rowPixelSpacing - shiftOf(fromCorner),
  ];
}

/** The opposite of `pixelOf`. */
export function worldOf(plane: PlaneModule, [x, y]: Point, fromCorner: boolean): [number, number, number] {
  const [right, down] = [
    (x + shiftOf(fromCorner)) * plane.columnPixelSpacing,
    (y + shiftOf(fromCorner)) * plane.rowPixelSpacing,
  ];
  const at = (i: 0 | 1 | 2) =>
    plane.imagePositionPatient[i] + plane.rowCosines[i] * right + plane.columnCosines[i] * down;
  return [at(0), at(1), at(2)];
}
