import { cache, imageLoader, type Types, utilities } from '@cornerstonejs/core';
import { factsOfFrame } from '@lightbox/contract/annotations/measuring.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { type ValueRange, windowOf } from '@lightbox/contract/images/voi.js';
import { cross, directionsOf, dot, type Plane, planeOf, type Vector } from '../orientation';
import { frameOf } from './frameId';
import { moduleOf, usesTable } from './modules';
import { extentWithoutPadding } from './pixels';
import { factsById } from './registry';

/** Pictures that are cut through a stack of parallel slices. They need no graphics card, unlike volumes. */
export const reformatScheme = 'reformat';

const along = (from: Vector, by: Vector, far: number): Vector => [
  from[0] + by[0] * far,
  from[1] + by[1] * far,
  from[2] + by[2] * far,
];

interface Slice {
  frameId: string;
  position: Vector;
}

/** A stack of parallel slices, straight above each other at even distances: what other planes can be cut from. */
export interface Volume {
  key: string;
  /** In the order of the positions along `normal`. */
  slices: readonly Slice[];
  rows: number;
  columns: number;
  spacing: readonly [row: number, column: number, slice: number];
  row: Vector;
  column: Vector;
  normal: Vector;
  frameOfReference: string;
  modality: string;
}

/** The most that distances between slices may differ, as a share of their mean. */
const UNEVEN = 0.1;
const SLICES_NEEDED = 4;
/** The most by which a slice may be shifted along its rows or columns, in pixels. A tilted gantry shifts each one further. */
const SHIFTED = 0.5;

const isNear = (a: readonly number[] | undefined, b: readonly number[], by: number) =>
  a !== undefined && b.every((value, i) => Math.abs(value - (a[i] ?? Number.NaN)) <= by);

/**
 * Returns the volume of a stack, or undefined when its slices are not parallel, even, of one size and straight above each
 * other: a cut through them would have wrong lengths and angles.
 */
export function volumeOf(frameIds: readonly string[]): Volume | undefined {
  if (frameIds.length < SLICES_NEEDED) return undefined;
  const all = frameIds.map((frameId) => {
    const { id, n } = frameOf(frameId);
    const facts = factsById(id);
    return { frameId, id, facts: facts && factsOfFrame(facts, n) };
  });
  const first = all[0]?.facts;
  if (!first?.orientation || !first.pixelSpacing || !first.rows || !first.columns) return undefined;
  if ((first.samplesPerPixel ?? 1) !== 1) return undefined;
  const { row, column } = directionsOf(first.orientation);
  const normal = cross(row, column);
  const slices: (Slice & { at: number })[] = [];
  for (const { frameId, facts } of all) {
    if (!facts?.position || facts.rows !== first.rows || facts.columns !== first.columns) return undefined;
    if (!isNear(facts.orientation, first.orientation, 1e-3)) return undefined;
    if (!isNear(facts.pixelSpacing, first.pixelSpacing, 1e-3 * Math.min(...first.pixelSpacing))) return undefined;
    if (facts.frameOfReference !== first.frameOfReference) return undefined;
    const position = facts.position as Vector;
    slices.push({ frameId, position, at: dot(position, normal) });
  }
  slices.sort((a, b) => a.at - b.at);
  const steps = slices.slice(1).map(({ at }, i) => at - (slices[i]?.at ?? 0));
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
  const lowest = slices[0]?.position as Vector;
  const shift = ({ position }: Slice, axis: Vector) => Math.abs(dot(position, axis) - dot(lowest, axis));
  const [rowSpacing, columnSpacing] = first.pixelSpacing;
  const isShifted = (slice: Slice) =>
    shift(slice, row) > SHIFTED * columnSpacing || shift(slice, column) > SHIFTED * rowSpacing;
  if (slices.some(isShifted)) return undefined;
  if (mean < 1e-3 || steps.some((step) => Math.abs(step - mean) > mean * UNEVEN)) return undefined;
  return {
    key: `${all[0]?.id}-${frameIds.length}`,
    slices,
    rows: first.rows,
    columns: first.columns,
    spacing: [first.pixelSpacing[0], first.pixelSpacing[1], mean],
    row,
    column,
    normal,
    frameOfReference: first.frameOfReference ?? all[0]?.id ?? '',
    modality: first.modality,
  };
}

/** The two cuts through a volume: along a row of each slice, or along a column of each slice. */
type Cut = 'row' | 'column';

const volumes = new Map<string, Volume>();

/** The plane of a cut. Its picture has the head or the front at the top, as radiologists are used to. */
function planeOfCut(volume: Volume, cut: Cut) {
  const right = cut === 'row' ? volume.row : volume.column;
  // Positions rise along the normal. A normal towards the head puts the last slice at the top.
  const upwards = volume.normal[2] > 0.5 || (Math.abs(volume.normal[2]) <= 0.5 && dot(volume.normal, [0, -1, 0]) > 0.5);
  const down: Vector = upwards ? [-volume.normal[0], -volume.normal[1], -volume.normal[2]] : volume.normal;
  return { right, down, upwards };
}

const cutId = (key: string, cut: Cut, n: number) => `${reformatScheme}:${key}-${cut}#${n}`;

function parse(frameId: string) {
  const [, key = '', cut = 'row', n = '1'] = /^\w+:(.+)-(row|column)#(\d+)$/.exec(frameId) ?? [];
  const volume = volumes.get(key);
  if (!volume) throw new Error('The volume is closed.');
  return { volume, cut: cut as Cut, index: Number(n) - 1 };
}

export interface Reformat {
  plane: Plane;
  frameIds: string[];
}

/** Returns the stacks of the three planes: the slices themselves, and the two cuts through them. */
export function planesOf(volume: Volume): Reformat[] {
  volumes.set(volume.key, volume);
  const cuts = (['row', 'column'] as const).map((cut) => {
    const { right, down } = planeOfCut(volume, cut);
    const count = cut === 'row' ? volume.rows : volume.columns;
    return {
      plane: planeOf(cross(right, down)),
      frameIds: Array.from({ length: count }, (_, i) => cutId(volume.key, cut, i + 1)),
    };
  });
  return [{ plane: planeOf(volume.normal), frameIds: volume.slices.map(({ frameId }) => frameId) }, ...cuts];
}

const factsOfSlice = ({ frameId }: Slice): FrameFacts | undefined => {
  const { id, n } = frameOf(frameId);
  const facts = factsById(id);
  return facts && factsOfFrame(facts, n);
};

/** Returns the range of a line of a slice without its padding; undefined where the file has none, or nothing else. */
function withoutPadding(line: ArrayLike<number>, slice: Slice, { preScale }: Types.IImage): ValueRange | undefined {
  const facts = factsOfSlice(slice);
  return facts && !usesTable(facts) ? extentWithoutPadding(line, facts, Boolean(preScale?.scaled)) : undefined;
}

const typed = { Int8Array, Uint8Array, Int16Array, Uint16Array, Float32Array, Int32Array, Uint32Array };
type Kind = keyof typeof typed;

/** Copies one row or column of every slice into a picture. */
async function load(frameId: string): Promise<Types.IImage> {
  const { volume, cut, index } = parse(frameId);
  const { upwards } = planeOfCut(volume, cut);
  const sources = await Promise.all(
    volume.slices.map((slice) => imageLoader.loadAndCacheImage(slice.frameId) as Promise<Types.IImage>),
  );
  const width = cut === 'row' ? volume.columns : volume.rows;
  const height = sources.length;
  const kinds = sources.map((source) => source.getPixelData().constructor.name as Kind);
  const kind: Kind = new Set(kinds).size === 1 ? (kinds[0] as Kind) : 'Float32Array';
  const pixels = new typed[kind](width * height);
  const seen: ValueRange[] = [];
  for (const [at, source] of sources.entries()) {
    const values = source.getPixelData();
    const to = (upwards ? height - 1 - at : at) * width;
    const start = cut === 'row' ? index * volume.columns : index;
    const step = cut === 'row' ? 1 : volume.columns;
    for (let i = 0; i < width; i++) pixels[to + i] = values[start + i * step] as number;
    const range = withoutPadding(pixels.subarray(to, to + width), volume.slices[at] as Slice, source);
    if (range) seen.push(range);
  }
  const [model] = sources as [Types.IImage];
  const [row, column, slice] = volume.spacing;
  let [lower, upper] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of pixels) {
    if (value < lower) lower = value;
    if (value > upper) upper = value;
  }
  const isWindowed = (factsOfSlice(volume.slices[0] as Slice)?.windows.length ?? 0) > 0;
  const fitted = windowOf(
    seen.length === 0
      ? { lower, upper }
      : { lower: Math.min(...seen.map((one) => one.lower)), upper: Math.max(...seen.map((one) => one.upper)) },
    'LINEAR',
  );
  return {
    ...model,
    ...(isWindowed ? {} : { windowCenter: fitted.center, windowWidth: fitted.width }),
    // The values are those behind the modality LUT, and the library's facts about the slice do not hold for them.
    ...{ minPixelValue: lower, maxPixelValue: upper, slope: 1, intercept: 0 },
    ...{ preScale: undefined, isPreScaled: undefined, cachedLut: undefined },
    imageId: frameId,
    rows: height,
    columns: width,
    height,
    width,
    rowPixelSpacing: slice,
    columnPixelSpacing: cut === 'row' ? column : row,
    sizeInBytes: pixels.byteLength,
    dataType: kind,
    getPixelData: () => pixels,
    getCanvas: undefined,
    imageFrame: undefined,
    voxelManager: utilities.VoxelManager.createImageVoxelManager({
      scalarData: pixels as never,
      width,
      height,
      numberOfComponents: 1,
    }),
  } as unknown as Types.IImage;
}

function moduleOfCut(type: string, frameId: string): object | undefined {
  const { volume, cut, index } = parse(frameId);
  const source = frameOf(volume.slices[0]?.frameId ?? '');
  const facts = factsById(source.id);
  if (!facts) return undefined;
  const { right, down, upwards } = planeOfCut(volume, cut);
  const [row, column, slice] = volume.spacing;
  const count = volume.slices.length;
  const edge = volume.slices[upwards ? count - 1 : 0] as Slice;
  const across = cut === 'row' ? volume.column : volume.row;
  const columns = cut === 'row' ? volume.columns : volume.rows;
  return moduleOf(
    type,
    {
      ...facts,
      perFrame: undefined,
      rows: count,
      columns,
      position: along(edge.position, across, index * (cut === 'row' ? row : column)) as [number, number, number],
      orientation: [...right, ...down],
      pixelSpacing: [slice, cut === 'row' ? column : row],
      sliceThickness: cut === 'row' ? row : column,
      regions: undefined,
      overlays: undefined,
    } as typeof facts,
    1,
    source.id,
    false,
  );
}

export const reformatted = { load, moduleOf: moduleOfCut };

export function forgetVolumes() {
  volumes.clear();
}

/** The share of the slices of a volume that are loaded, 0 to 1. */
export const loadedOf = (volume: Volume) =>
  volume.slices.filter(({ frameId }) => cache.isLoaded(frameId)).length / volume.slices.length;
