import { imageLoader, metaData, type Types } from '@cornerstonejs/core';
import { createImage, init } from '@cornerstonejs/dicom-image-loader';
import { factsOfFrame } from '@lightbox/contract/annotations/measuring.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { voiFunctionOf, windowOf } from '@lightbox/contract/images/voi.js';
import type { ApiError } from '../../lib/http';
import { type FrameBytes, fetchFrame, isRefusal, untilRendered } from '../frames';
import { type FrameRef, frameOf, scheme } from './frameId';
import { moduleOf, usesTable } from './modules';
import {
  checkDecoded,
  checkLength,
  checkSize,
  DamagedFrame,
  extentWithoutPadding,
  hasFractions,
  keepBeforeVoi,
  modalityValues,
  throughTables,
  voiLutOf,
} from './pixels';
import { reformatScheme, reformatted } from './reformat';
import { factsById, isColoured, markColoured } from './registry';

const explicitLittleEndian = '1.2.840.10008.1.2.1';
const native: readonly (string | undefined)[] = [explicitLittleEndian, '1.2.840.10008.1.2', undefined];

/** Called with the id of an image whose frames the server refuses. */
let onRefused: (id: string, error: ApiError) => void = () => {};
/** Called when the server draws the frames of an image, because the browser cannot. */
let onRendered: (id: string) => void = () => {};

function factsOf({ id }: FrameRef): FrameFacts {
  const facts = factsById(id);
  if (!facts) throw new Error('The image is closed.');
  return facts;
}

/** Returns RGB pixels of a picture that the browser itself can decode, in the size that the facts state. */
async function coloursOf(picture: Blob, { rows = 0, columns = 0 }: FrameFacts): Promise<Uint8Array> {
  const bitmap = await createImageBitmap(picture).catch(() => {
    throw new DamagedFrame('The picture cannot be decoded.');
  });
  const canvas = new OffscreenCanvas(columns, rows);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('The browser has no canvas.');
  context.drawImage(bitmap, 0, 0, columns, rows);
  bitmap.close();
  const { data } = context.getImageData(0, 0, columns, rows);
  const rgb = new Uint8Array(rows * columns * 3);
  for (let from = 0, to = 0; from < data.length; from += 4) {
    rgb[to++] = data[from] as number;
    rgb[to++] = data[from + 1] as number;
    rgb[to++] = data[from + 2] as number;
  }
  return rgb;
}

/** The image of the library with the fields that its type lacks. */
type Made = Types.IImage & { voxelManager?: { setScalarData?: (data: unknown) => void } };

/** Gives an image other values, and its range. Returns the window that fits them. */
function replaceValues(image: Made, values: Uint16Array | Float32Array) {
  let [lower, upper] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < lower) lower = value;
    if (value > upper) upper = value;
  }
  image.getPixelData = () => values;
  image.voxelManager?.setScalarData?.(values);
  Object.assign(image, { dataType: values.constructor.name, sizeInBytes: values.byteLength });
  Object.assign(image, { minPixelValue: lower, maxPixelValue: upper });
  return { windowCenter: (lower + upper + 1) / 2, windowWidth: upper - lower + 1 };
}

/** Applies the tables of the file to decoded values. */
function applyTables(image: Made, facts: FrameFacts): void {
  const stored = image.getPixelData();
  const fitting = replaceValues(image, throughTables(stored, facts) as Uint16Array);
  if (voiLutOf(facts)) keepBeforeVoi(image, () => modalityValues(stored, facts));
  if (facts.windows.length === 0) Object.assign(image, fitting);
}

/** Applies a rescale with fractions to decoded values. */
function applyRescale(image: Made, facts: FrameFacts): void {
  const values = modalityValues(image.getPixelData(), facts) as Float32Array;
  const fitting = replaceValues(image, values);
  Object.assign(image, { slope: 1, intercept: 0, preScale: { enabled: true, scaled: true } });
  Object.assign(image.imageFrame ?? {}, { pixelData: values });
  if (facts.windows.length === 0) Object.assign(image, fitting);
}

/** Gives an image without a window the one that fits its values without the padding, as the server draws it. */
function fitWithoutPadding(image: Made, facts: FrameFacts): void {
  const extent = extentWithoutPadding(image.getPixelData(), facts, Boolean(image.preScale?.scaled));
  if (!extent) return;
  const { center, width } = windowOf(extent, 'LINEAR');
  Object.assign(image, { windowCenter: center, windowWidth: width });
}

/** Facts of the frames that are being decoded: the library reads them again at the end, when the image may be closed. */
const decoding = new Map<string, FrameFacts>();

async function decoded(frameId: string, bytes: Uint8Array, syntax: string, options: object): Promise<Made> {
  const ref = frameOf(frameId);
  const own = factsOfFrame(factsOf(ref), ref.n);
  // The library scales such values in place, as integers when the lowest and the highest are ones, or not at all.
  const fractions = hasFractions(own);
  // The renderer without WebGL asks for RGBA, but the decoder does not add the fourth value to pixels that are RGB.
  const wanted = { ...options, useRGBA: false, ...(fractions && { preScale: { enabled: false } }) } as never;
  decoding.set(frameId, factsOf(ref));
  const image = await (createImage(frameId, bytes as never, syntax, wanted) as Promise<Made>).finally(() =>
    decoding.delete(frameId),
  );
  const components = image.color ? 3 : 1;
  checkDecoded(
    { width: image.columns, height: image.rows, components, length: image.getPixelData().length },
    { rows: own.rows, columns: own.columns },
  );
  if (!image.color) Object.assign(image, { voiFunction: voiFunctionOf(own) });
  if (!image.color && usesTable(own)) applyTables(image, own);
  else if (!image.color && fractions) applyRescale(image, own);
  if (!image.color && !usesTable(own) && own.windows.length === 0) fitWithoutPadding(image, own);
  return image;
}

async function drawnByServer(frameId: string, ref: FrameRef, signal: AbortSignal, options: object): Promise<Made> {
  const facts = factsOf(ref);
  const pixels = await coloursOf(await untilRendered(ref, signal), facts);
  markColoured(frameId);
  onRendered(ref.id);
  return decoded(frameId, pixels, explicitLittleEndian, options);
}

async function fromBytes(frameId: string, { blob, syntax }: FrameBytes, facts: FrameFacts, options: object) {
  if (facts.kind === 'picture' || blob.type.startsWith('image/png')) {
    const pixels = await coloursOf(blob, facts);
    markColoured(frameId);
    return decoded(frameId, pixels, explicitLittleEndian, options);
  }
  const bytes = new Uint8Array(await blob.arrayBuffer());
  if (native.includes(syntax)) checkLength(bytes.length, facts);
  return decoded(frameId, bytes, syntax ?? explicitLittleEndian, options);
}

/** True on a device whose memory is too small for frames of this size. */
const tooLarge = ({ rows = 0, columns = 0 }: FrameFacts) => {
  const { deviceMemory = 8 } = navigator as { deviceMemory?: number };
  return rows * columns > deviceMemory * 12_000_000;
};

async function load(frameId: string, signal: AbortSignal, options: object): Promise<Made> {
  const ref = frameOf(frameId);
  const facts = factsOf(ref);
  checkSize(facts);
  try {
    if (isColoured(frameId) && facts.kind !== 'picture') return await drawnByServer(frameId, ref, signal, options);
    if (tooLarge(facts)) return await drawnByServer(frameId, ref, signal, options);
    const bytes = await fetchFrame(ref, facts, signal);
    try {
      return await fromBytes(frameId, bytes, facts, options);
    } catch (error) {
      if (signal.aborted) throw error;
      // The browser cannot decode this frame. The server may draw it, or it says that the frame is damaged.
      return await drawnByServer(frameId, ref, signal, options);
    }
  } catch (error) {
    if (isRefusal(error)) onRefused(ref.id, error);
    throw error;
  }
}

/** The failure of a load that nobody waits for: the library has cancelled it, or its image is closed. */
export class CancelledLoad extends Error {
  override readonly name = 'CancelledLoad';
}

interface Hooks {
  refused: typeof onRefused;
  rendered: typeof onRendered;
  workers: number;
}

/** Registers the loader of frames and the provider of their metadata, once for the page. */
export function startLoader(hooks: Hooks): void {
  onRefused = hooks.refused;
  onRendered = hooks.rendered;
  init({ maxWebWorkers: hooks.workers });
  metaData.addProvider((type: string, frameId: unknown) => {
    if (typeof frameId !== 'string') return undefined;
    if (frameId.startsWith(`${reformatScheme}:`)) return reformatted.moduleOf(type, frameId);
    if (!frameId.startsWith(`${scheme}:`)) return undefined;
    const { id, n } = frameOf(frameId);
    const facts = factsById(id) ?? decoding.get(frameId);
    return facts && moduleOf(type, facts, n, id, isColoured(frameId));
  }, 10_000);
  imageLoader.registerImageLoader(scheme, (frameId: string, options: object = {}) => {
    const stop = new AbortController();
    const isClosed = () => stop.signal.aborted || !factsById(frameOf(frameId).id);
    const promise = load(frameId, stop.signal, options).then(
      (image) => {
        // The pixels of the image were deleted while this frame was decoded. The library would complain about it.
        if (isClosed()) throw new CancelledLoad();
        return image;
      },
      (error) => {
        throw isClosed() ? new CancelledLoad() : error;
      },
    );
    // A frame that is no longer wanted has no other reader of its failure.
    promise.catch(() => undefined);
    return { promise, cancelFn: () => stop.abort() } as never;
  });
  imageLoader.registerImageLoader(
    reformatScheme,
    (frameId: string) => ({ promise: reformatted.load(frameId) }) as never,
  );
}
