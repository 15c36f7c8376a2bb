import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import { limits } from '@lightbox/contract/limits.js';

/** Pixels of the picture. */
export interface Size {
  columns: number;
  rows: number;
}

export type Corner = 'x0 y0' | 'x1 y0' | 'x0 y1' | 'x1 y1';
export const corners: readonly Corner[] = ['x0 y0', 'x1 y0', 'x0 y1', 'x1 y1'];

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, Math.round(value)));

/** Returns the rectangle between two points, of at least one pixel and inside the picture. */
export function between(
  a: readonly [number, number],
  b: readonly [number, number],
  { columns, rows }: Size,
): BlackRectangle {
  const x0 = clamp(Math.min(a[0], b[0]), 0, columns - 1);
  const y0 = clamp(Math.min(a[1], b[1]), 0, rows - 1);
  return {
    x0,
    y0,
    x1: clamp(Math.max(a[0], b[0]), x0 + 1, columns),
    y1: clamp(Math.max(a[1], b[1]), y0 + 1, rows),
  };
}

/** Moves a rectangle, and keeps its size: it stops at the edges. */
export function moved(one: BlackRectangle, dx: number, dy: number, { columns, rows }: Size): BlackRectangle {
  const [width, height] = [one.x1 - one.x0, one.y1 - one.y0];
  const x0 = clamp(one.x0 + dx, 0, columns - width);
  const y0 = clamp(one.y0 + dy, 0, rows - height);
  return { ...one, x0, y0, x1: x0 + width, y1: y0 + height };
}

/** Moves one corner; beyond the opposite one, the rectangle is turned over. */
export function resized(one: BlackRectangle, corner: Corner, dx: number, dy: number, size: Size): BlackRectangle {
  const [x, y] = corner.split(' ') as ['x0' | 'x1', 'y0' | 'y1'];
  const fixed = [x === 'x0' ? one.x1 : one.x0, y === 'y0' ? one.y1 : one.y0] as const;
  return { ...one, ...between(fixed, [one[x] + dx, one[y] + dy], size) };
}

/** A new rectangle in the middle, for people who draw without a pointer. */
export const inMiddle = ({ columns, rows }: Size): BlackRectangle =>
  between([columns * 0.4, rows * 0.45], [columns * 0.6, rows * 0.55], { columns, rows });

/** Text has dark edges: places that were found get a margin. */
export function around(place: BlackRectangle, size: Size): BlackRectangle {
  const margin = Math.max(2, Math.round((place.y1 - place.y0) / 4));
  return between([place.x0 - margin, place.y0 - margin], [place.x1 + margin, place.y1 + margin], size);
}

/** The rectangles of a copy, and those of before, for taking an act back. */
export interface Drawing {
  now: readonly BlackRectangle[];
  past: readonly (readonly BlackRectangle[])[];
  selected: number | null;
}

export const nothing: Drawing = { now: [], past: [], selected: null };
const STEPS = 100;

export type Act =
  | { type: 'add'; rectangles: readonly BlackRectangle[] }
  /** `live`: a further step of the same movement, which is taken back as a whole. */
  | { type: 'change'; to: BlackRectangle; live?: boolean }
  | { type: 'remove' }
  | { type: 'select'; at: number | null }
  | { type: 'undo' };

export function drawn(drawing: Drawing, act: Act): Drawing {
  const { now, past, selected } = drawing;
  const after = (next: readonly BlackRectangle[], at: number | null): Drawing => ({
    now: next,
    past: [...past, now].slice(-STEPS),
    selected: at,
  });
  switch (act.type) {
    case 'add': {
      const room = act.rectangles.slice(0, limits.blackRectangles - now.length);
      return room.length > 0 ? after([...now, ...room], now.length + room.length - 1) : drawing;
    }
    case 'change': {
      if (selected === null) return drawing;
      const next = now.map((one, i) => (i === selected ? act.to : one));
      return act.live ? { ...drawing, now: next } : after(next, selected);
    }
    case 'remove':
      if (selected === null) return drawing;
      return after(
        now.filter((_, i) => i !== selected),
        now.length > 1 ? Math.max(0, selected - 1) : null,
      );
    case 'select':
      return { ...drawing, selected: act.at };
    case 'undo': {
      const before = past.at(-1);
      return before ? { now: before, past: past.slice(0, -1), selected: null } : drawing;
    }
  }
}

/** Puts places on each of some images, beside what they have, and on every frame of them. Each image has a place once. */
export function onAll(
  drawings: Readonly<Record<string, Drawing>>,
  places: readonly BlackRectangle[],
  images: readonly string[],
): Record<string, Drawing> {
  const bare = ({ x0, y0, x1, y1 }: BlackRectangle) => `${x0} ${y0} ${x1} ${y1}`;
  const changed = images.map((id): [string, Drawing] => {
    const drawing = drawings[id] ?? nothing;
    const has = new Set(drawing.now.filter(({ frame }) => frame === undefined).map(bare));
    const rectangles = places.filter((one) => !has.has(bare(one))).map(({ frame: _, ...everywhere }) => everywhere);
    return [id, rectangles.length > 0 ? drawn(drawing, { type: 'add', rectangles }) : drawing];
  });
  return { ...drawings, ...Object.fromEntries(changed) };
}
