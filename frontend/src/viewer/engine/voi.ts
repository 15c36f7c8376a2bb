import { getShouldUseCPURendering, type StackViewport, type Types } from '@cornerstonejs/core';
import { levelIn, rangeOf, type ValueRange, type VoiFunction, windowOf } from '@lightbox/contract/images/voi.js';

/**
 * Returns the function by which the windows of a picture are drawn. The loader notes it beside the library's own: that is drawn
 * by one renderer only, which complains on the console about each of its curves.
 */
export const functionOf = (image: Types.IImage | undefined): VoiFunction =>
  (image as { voiFunction?: VoiFunction } | undefined)?.voiFunction ?? 'LINEAR';

/** Values with fractions may be small, so a window keeps its digits. */
export const precise = (value: number) => Number(value.toPrecision(9));

/** The window that the file states for this frame, or the one that fits its values. */
export function sentOf(image: Types.IImage): { center: number; width: number } | undefined {
  const first = (value: number | number[] | undefined) => (Array.isArray(value) ? value[0] : value);
  const [center, width] = [first(image.windowCenter), first(image.windowWidth)];
  return center === undefined || width === undefined ? undefined : { center: precise(center), width: precise(width) };
}

/** Returns the range of the window that the file states for this frame, or of the one that fits its values. */
export function sentRange(image: Types.IImage): ValueRange | undefined {
  const sent = sentOf(image);
  return sent && rangeOf(sent, functionOf(image));
}

type Properties = Parameters<StackViewport['setProperties']>[0];

/** Shows the values of a range by the function of the picture. */
export function showRange(
  viewport: StackViewport,
  image: Types.IImage,
  range: ValueRange,
  more: Properties = {},
): void {
  viewport.setProperties({ voiRange: range, ...more }, true);
  const by = functionOf(image);
  const curve = by === 'SIGMOID' ? windowOf(range, by) : undefined;
  if (getShouldUseCPURendering()) tabulate(viewport, curve);
  else bend(viewport, range, curve);
}

/** Lines of which a curve consists: none of them is further from it than a tenth of a level. */
const LINES = 128;

/** Makes a curve of the line by which the graphics card draws, or a line again of a curve of the frame before. */
function bend(viewport: StackViewport, { lower, upper }: ValueRange, curve: Curve | undefined): void {
  const actor = viewport.getDefaultActor()?.actor as Types.ImageActor | undefined;
  const shown = actor?.getProperty().getRGBTransferFunction(0);
  if (!shown || (!curve && shown.getSize() === 2)) return;
  const level = curve ? levelIn(curve, 'SIGMOID') : (value: number) => (value === upper ? 1 : 0);
  const places = curve
    ? Array.from({ length: LINES + 1 }, (_, i) => curve.center + curve.width * (i / (LINES / 4) - 2))
    : [lower, upper];
  const { invert } = viewport.getProperties();
  shown.removeAllPoints();
  for (const place of places) {
    const grey = invert ? 1 - level(place) : level(place);
    shown.addRGBPoint(place, grey, grey, grey);
  }
}

type Curve = Parameters<typeof tableOf>[0];

/** Gives the renderer without a graphics card a table: it knows no curve. */
function tabulate(viewport: StackViewport, curve: Curve | undefined): void {
  const { viewport: drawn } = (viewport as unknown as OnProcessor)._cpuFallbackEnabledElement;
  drawn.voiLUT = curve && tableOf(curve);
}

interface OnProcessor {
  _cpuFallbackEnabledElement: { viewport: { voiLUT: Table | undefined } };
}

interface Table {
  id: string;
  firstValueMapped: number;
  lut: ArrayLike<number> & Iterable<number>;
}

/** Returns a curve as a table, whose entries are calculated when they are asked for: values may have fractions. */
export function tableOf(window: { center: number; width: number }): Table {
  const { center, width } = window;
  const level = levelIn(window, 'SIGMOID');
  // Two widths from its middle the curve is black or white.
  const first = Math.floor(center - 2 * width);
  // The library leaves out the fraction of an entry.
  const entry = (at: number) => 255 * level(first + at) + 0.5;
  const known = { length: Math.ceil(4 * width) + 2, [Symbol.iterator]: () => [255].values() };
  return {
    id: `${center} ${width}`,
    firstValueMapped: first,
    lut: new Proxy(known as Table['lut'], {
      get: (target, key) => Reflect.get(target, key) ?? entry(Number(key)),
    }),
  };
}
