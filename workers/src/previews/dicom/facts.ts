import {
  type FrameFacts,
  type LookupTable,
  type PerFrame,
  voiFunctions,
  type Window,
} from '@lightbox/contract/images/drawing.js';
import type { VoiFunction } from '@lightbox/contract/images/voi.js';
import { inLittleEndian } from '@lightbox/core/imaging/byteOrder.js';
import type { DataSet } from './dataSet.js';
import type { Film } from './film.js';

type Part<Keys extends keyof FrameFacts> = Pick<FrameFacts, Keys>;

/** Drops undefined and null values. */
export function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], null | undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null)) as ReturnType<
    typeof present<T>
  >;
}

/** Returns the facts of a file that do not depend on its pixels. */
export function generalFacts(set: DataSet): Part<'modality' | 'bodyPart' | 'view' | 'laterality' | 'instanceNumber'> {
  return {
    modality: set.code(0x00080060) ?? 'OT',
    ...present({
      bodyPart: set.code(0x00180015),
      view: set.code(0x00185101),
      laterality: set.code(0x00200062) ?? set.code(0x00200060),
      instanceNumber: whole(set.number(0x00200013, 'IS')),
    }),
  };
}

const whole = (value: number | null): number | null => (Number.isSafeInteger(value) ? value : null);

/** Returns the facts by which greys are shown (PS3.3 §C.11.1, §C.11.2). */
export function greyFacts({ set, pixels, rescale }: Film): Partial<FrameFacts> & Part<'windows'> {
  const { signed } = pixels;
  const ofPixels = signed ? 'SS' : 'US';
  const modalityLut = lookupTable(set.items(0x00283000)[0], signed);
  const toValues = modalityLut ? {} : rescaleOf(set, rescale);
  // A VOI LUT takes the values behind the rescale (PS3.3 §C.11.2.1.1).
  const signedValues = signed || (toValues.rescaleIntercept ?? 0) < 0;
  const voiLuts = set
    .items(0x00283010)
    .slice(0, 16)
    .map((item) => lookupTable(item, signedValues))
    .filter((table) => table !== null);
  const voiFunction = functionOf(set);
  const windows = windowsOf(set);
  // Black and white, also where a frame holds only one of them.
  const ofOneBit = pixels.bitsStored === 1 ? [{ center: 1, width: 2 }] : [];
  return {
    windows: windows.length > 0 ? windows : ofOneBit,
    ...present({
      ...toValues,
      rescaleType: shortText(set, 0x00281054),
      voiFunction: voiFunction === 'LINEAR' ? null : voiFunction,
      modalityLut,
      voiLuts: voiLuts.length > 0 ? voiLuts : null,
      pixelPaddingValue: set.number(0x00280120, ofPixels),
      pixelPaddingRangeLimit: set.number(0x00280121, ofPixels),
      smallestPixelValue: set.number(0x00280106, ofPixels),
      largestPixelValue: set.number(0x00280107, ofPixels),
    }),
  };
}

/** Returns the rescale of a file or a frame, behind the steps that plain frames hold in place of fractions. */
function rescaleOf(set: DataSet, steps: Film['rescale']): Pick<FrameFacts, 'rescaleSlope' | 'rescaleIntercept'> {
  const [slope, intercept] = [set.number(0x00281053, 'DS') || null, set.number(0x00281052, 'DS')];
  if (!steps) return present({ rescaleSlope: slope, rescaleIntercept: intercept });
  return {
    rescaleSlope: steps.slope * (slope ?? 1),
    rescaleIntercept: steps.intercept * (slope ?? 1) + (intercept ?? 0),
  };
}

/** Returns the function of the windows of a file or a frame: the linear one when it names none that the standard knows. */
const functionOf = (set: DataSet): VoiFunction =>
  voiFunctions.find((known) => known === set.code(0x00281056)) ?? 'LINEAR';

/** Returns the windows of a file or a frame that its function can draw: the linear one needs a width of 1. */
function windowsOf(set: DataSet): Window[] {
  const isDrawn = functionOf(set) === 'LINEAR' ? (width: number) => width >= 1 : (width: number) => width > 0;
  const widths = set.numbers(0x00281051, 'DS');
  const explanations = set.texts(0x00281055);
  return set
    .numbers(0x00281050, 'DS')
    .slice(0, 16)
    .flatMap((center, i) => {
      const width = widths[i] ?? Number.NaN;
      if (!Number.isFinite(center) || !Number.isFinite(width) || !isDrawn(width)) return [];
      const explanation = explanations[i]?.slice(0, 64);
      return [{ center, width, ...(explanation ? { explanation } : {}) }];
    });
}

/** Returns a text without control characters. */
export function generalText(set: DataSet, tag: number): string | null {
  const text =
    set
      .text(tag)
      ?.replace(/\p{Cc}/gu, ' ')
      .trim() ?? '';
  return text === '' ? null : text;
}

function shortText(set: DataSet, tag: number): string | null {
  const text = set.text(tag)?.replace(/[^\x20-\x7e]/g, '') ?? '';
  return text === '' ? null : text.slice(0, 16);
}

/** Reads a Modality LUT or VOI LUT. Null when its descriptor and its entries contradict each other. */
function lookupTable(item: DataSet | undefined, signed: boolean): LookupTable | null {
  const described = item && tableDescriptor(item, 0x00283002, signed);
  const raw = item && tableBytes(item, 0x00283006);
  if (!described || !raw) return null;
  const { said, first, bits } = described;
  if (bits < 8 || bits > 16) return null;
  const entries = tableEntries(raw, said, bits);
  if (!entries) return null;
  return { first, bits, entries: Buffer.from(entries.buffer).toString('base64') };
}

interface TableDescriptor {
  said: number;
  first: number;
  bits: number;
}

/**
 * Reads the descriptor of a table (PS3.3 §C.7.6.3.1.5): the number of entries, the first value, and the bits of an entry. The
 * VR of the file tells whether the first value has a sign, and `signed` does so for a file without a VR.
 */
export function tableDescriptor(set: DataSet, tag: number, signed: boolean): TableDescriptor | null {
  const vr = set.elements.get(tag)?.vr ?? '';
  const hasSign = vr === 'SS' || (vr !== 'US' && signed);
  const [said, first, bits] = set.numbers(tag, 'US');
  if (said === undefined || first === undefined || bits === undefined) return null;
  return { said, first: hasSign ? (first << 16) >> 16 : first, bits };
}

/** Returns the bytes of a table in little endian; null when there are none. Packed entries of 8 bits lie in words too. */
export function tableBytes(set: DataSet, tag: number): Buffer | null {
  const raw = set.raw(tag);
  return raw && set.big ? inLittleEndian(raw, set.vr(tag)) : raw;
}

/** Returns the entries of a table, or null when it has fewer than `said`; 0 stands for 65,536 (PS3.3 §C.7.6.3.1.5). */
export function tableEntries(raw: Buffer, said: number, bits: number): Uint16Array | null {
  const count = said || 65_536;
  // Entries of 8 bits are packed, or have a word each.
  const size = bits === 8 && raw.length < count * 2 ? 1 : 2;
  if (raw.length < count * size) return null;
  const read = size === 1 ? raw.readUInt8 : raw.readUInt16LE;
  return Uint16Array.from({ length: count }, (_, i) => read.call(raw, i * size));
}

type Numbers<N extends number> = N extends 2 ? [number, number] : [number, number, number];

function vector<N extends 2 | 3>(set: DataSet, tag: number, length: N): Numbers<N> | null {
  const values = set.numbers(tag, 'DS').slice(0, length);
  return values.length === length && values.every(Number.isFinite) ? (values as Numbers<N>) : null;
}

function spacing(set: DataSet, tag: number): Spacing | null {
  const values = vector(set, tag, 2);
  return values?.every((value) => value > 0) ? values : null;
}

function orientation(set: DataSet): number[] | null {
  const values = set.numbers(0x00200037, 'DS').slice(0, 6);
  return values.length === 6 && values.every(Number.isFinite) ? values : null;
}

/** Returns the facts about the place of the picture in the patient and its scale (PS3.3 §C.7.6.2, §10.7). */
export function placeFacts(set: DataSet): Partial<FrameFacts> {
  return present({
    ...scale(set),
    pixelAspectRatio: aspectRatio(set),
    position: vector(set, 0x00200032, 3),
    orientation: orientation(set),
    sliceThickness: set.number(0x00180050, 'DS'),
    spacingBetweenSlices: set.number(0x00180088, 'DS'),
    regions: regions(set),
  });
}

type Spacing = [row: number, column: number];

/** Returns the spacing of the detector, or of the nominal scan. */
const imagerSpacing = (set: DataSet): Spacing | null => spacing(set, 0x00181164) ?? spacing(set, 0x00182010);

/** A PixelSpacing that equals ImagerPixelSpacing was not calibrated: it is that of the detector. */
const placeOf = (pixel: Spacing, imager: Spacing | null): 'patient' | 'detector' =>
  imager !== null && pixel[0] === imager[0] && pixel[1] === imager[1] ? 'detector' : 'patient';

/** Returns the millimetres of a pixel (PS3.3 §10.7.1). */
function scale(set: DataSet): Partial<FrameFacts> {
  const pixel = spacing(set, 0x00280030);
  const imager = imagerSpacing(set);
  if (pixel) return { pixelSpacing: pixel, spacingAt: placeOf(pixel, imager) };
  if (!imager) return {};
  const factor = set.number(0x00181114, 'DS');
  if (factor === null || factor <= 0) return { pixelSpacing: imager, spacingAt: 'detector' };
  return { pixelSpacing: [imager[0] / factor, imager[1] / factor], spacingAt: 'detector' };
}

/** Returns the height and the width of a pixel in proportion: two whole numbers above 0 (PS3.3 §C.7.6.3.1.7). */
function aspectRatio(set: DataSet): [number, number] | null {
  const [row = 0, column = 0] = set.numbers(0x00280034, 'IS');
  return [row, column].every((value) => Number.isSafeInteger(value) && value > 0) ? [row, column] : null;
}

/** PS3.3 §C.8.5.5.1.15: 3 stands for centimetres. */
const CENTIMETRES = 3;

/** Returns the regions of an ultrasound picture, first those that lie over others. */
function regions(set: DataSet): FrameFacts['regions'] | null {
  const found = set
    .items(0x00186011)
    .slice(0, 64)
    .flatMap((item) => {
      const [x0, y0, x1, y1] = [0x00186018, 0x0018601a, 0x0018601c, 0x0018601e].map((tag) => whole(item.number(tag)));
      if (x0 == null || y0 == null || x1 == null || y1 == null) return [];
      const [deltaX, deltaY] = [item.number(0x0018602c) ?? 0, item.number(0x0018602e) ?? 0];
      const isLength = [0x00186024, 0x00186026].every((tag) => item.number(tag) === CENTIMETRES) && deltaX && deltaY;
      const size = isLength
        ? { deltaX: Math.abs(deltaX) * 10, deltaY: Math.abs(deltaY) * 10 }
        : { deltaX: 0, deltaY: 0 };
      // Bit 0 of the flags is 0 for the pixels of a high priority and 1 for those of a low one (PS3.3 §C.8.5.5.1.3).
      return [{ isLow: (item.number(0x00186016) ?? 0) & 1, region: { x0, y0, x1, y1, ...size } }];
    })
    .sort((a, b) => a.isLow - b.isLow)
    .map(({ region }) => region);
  return found.length > 0 ? found : null;
}

/** Returns the milliseconds of a frame of a film (PS3.3 §C.7.6.5). */
export function frameTime(set: DataSet): number | null {
  const time = set.number(0x00181063, 'DS');
  if (time !== null && time > 0) return time;
  const vectorTimes = set.numbers(0x00181065, 'DS').slice(1).filter(Number.isFinite);
  const mean = vectorTimes.reduce((sum, value) => sum + value, 0) / (vectorTimes.length || 1);
  if (mean > 0) return mean;
  const rate = set.number(0x00180040, 'IS') ?? set.number(0x00082144, 'IS');
  return rate !== null && rate > 0 ? 1_000 / rate : null;
}

/** Files with more frames get no facts of single frames: only those that all frames share. */
const PER_FRAME_FRAMES = 10_000;
const SHARED_GROUPS = 0x52009229;
const PER_FRAME_GROUPS = 0x52009230;

/** Returns the facts of each frame of an enhanced multi-frame file (PS3.3 §C.7.6.16); null for other files. */
export function perFrameFacts(film: Film): PerFrame[] | null {
  const { set, frames } = film;
  const hasGroups = [SHARED_GROUPS, PER_FRAME_GROUPS].some((tag) => set.items(tag).length > 0);
  if (!hasGroups || frames.count > PER_FRAME_FRAMES) return null;
  const shared = sharedFacts(film);
  return Array.from({ length: frames.count }, (_, frame) => ({ ...shared, ...ownFacts(film, frame) }));
}

/** Returns the facts of one frame, from 0, of an enhanced multi-frame file: those that the viewer gets of it. */
export const groupFacts = (film: Film, frame: number): PerFrame => ({
  ...sharedFacts(film),
  ...(film.frames.count > PER_FRAME_FRAMES ? {} : ownFacts(film, frame)),
});

const sharedFacts = ({ set, rescale }: Film): PerFrame => groupsOf(set, set.items(SHARED_GROUPS)[0], rescale);
const ownFacts = ({ set, rescale }: Film, frame: number): PerFrame =>
  groupsOf(set, set.items(PER_FRAME_GROUPS)[frame], rescale);

function groupsOf(set: DataSet, item: DataSet | undefined, steps: Film['rescale']): PerFrame {
  const group = (tag: number): DataSet | undefined => item?.items(tag)[0];
  const [measures, position, orient] = [group(0x00289110), group(0x00209113), group(0x00209116)];
  const [voi, transform] = [group(0x00289132), group(0x00289145)];
  const windows = voi ? windowsOf(voi) : [];
  const pixel = measures && spacing(measures, 0x00280030);
  return present({
    position: position && vector(position, 0x00200032, 3),
    orientation: orient && orientation(orient),
    ...(pixel && { pixelSpacing: pixel, spacingAt: placeOf(pixel, imagerSpacing(set)) }),
    sliceThickness: measures?.number(0x00180050, 'DS'),
    // A frame with windows of its own has its own function too, also when it is the linear one.
    ...(voi && windows.length > 0 ? { windows, voiFunction: functionOf(voi) } : {}),
    ...(transform && rescaleOf(transform, steps)),
    rescaleType: transform && shortText(transform, 0x00281054),
  });
}
