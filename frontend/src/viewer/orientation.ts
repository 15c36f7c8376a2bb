/** The direction of a patient's body at an edge of the picture: A, P, L, R, H (head), F (feet). */
export type Vector = readonly [number, number, number];

/** Returns the three numbers from this place on as a vector. */
export const vectorIn = (values: readonly number[], from = 0): Vector => [
  values[from] ?? 0,
  values[from + 1] ?? 0,
  values[from + 2] ?? 0,
];

/** Returns the directions of a row and of a column of Image Orientation (0020,0037). */
export const directionsOf = (orientation: readonly number[]): { row: Vector; column: Vector } => ({
  row: vectorIn(orientation),
  column: vectorIn(orientation, 3),
});

const letters: readonly [plus: string, minus: string][] = [
  ['L', 'R'],
  ['P', 'A'],
  ['H', 'F'],
];

/**
 * Returns the letters of a direction, the strongest first: "A", or "AL" for an oblique one. Parts below a fifth of the
 * whole are left out.
 */
export function letterOf(direction: Vector): string {
  const size = Math.hypot(...direction);
  if (size === 0) return '';
  return direction
    .map((part, axis) => ({ share: Math.abs(part) / size, letter: letters[axis]?.[part > 0 ? 0 : 1] ?? '' }))
    .filter(({ share }) => share > 0.2)
    .sort((a, b) => b.share - a.share)
    .slice(0, 2)
    .map(({ letter }) => letter)
    .join('');
}

const minus = ([x, y, z]: Vector): Vector => [-x, -y, -z];

export interface Edges {
  top: string;
  bottom: string;
  left: string;
  right: string;
}

/** Returns the letters at the four edges, from the directions in which the picture's right and lower edge lie. */
export const edgesOf = (right: Vector, down: Vector): Edges => ({
  right: letterOf(right),
  left: letterOf(minus(right)),
  bottom: letterOf(down),
  top: letterOf(minus(down)),
});

export type Plane = 'axial' | 'coronal' | 'sagittal';

export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Returns the anatomical plane that is nearest to a plane with this normal. */
export function planeOf(normal: Vector): Plane {
  const [x, y, z] = vectorIn(normal.map(Math.abs));
  if (z >= x && z >= y) return 'axial';
  return y >= x ? 'coronal' : 'sagittal';
}
