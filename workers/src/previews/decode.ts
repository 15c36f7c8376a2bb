import { PDFiumLibrary } from '@hyzyla/pdfium';
import { limits } from '@lightbox/contract/limits.js';
import type { Histogram } from 'dcmjs-imaging';
import sharp, { type Sharp } from 'sharp';
import { DicomFrames, type Frame, WindowLevel } from './dicomFrame.js';
import { type GreyImage, type Measurements, measure } from './measure.js';

/** Longest side of a rendered PDF page before it is scaled down: large enough that its text stays readable. */
const PAGE_PIXELS = 1536;
/** Longest side of a picture that is sent to a model. */
const MODEL_PIXELS = 1024;

export interface Rendered {
  bytes: Buffer;
  width: number;
  height: number;
}

/** Returns a small, newly encoded picture that contains nothing of the original but its pixels. */
export async function preview(bytes: Buffer, contentType: string): Promise<Rendered> {
  const picture = fit(await decode(bytes, contentType), limits.previewPixels);
  const { data, info } = await picture.webp({ quality: 80 }).toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height };
}

/** Returns a PNG, because every server that accepts pictures accepts PNG. */
export async function forModel(bytes: Buffer, contentType: string): Promise<Rendered> {
  const picture = fit(await decode(bytes, contentType), MODEL_PIXELS).flatten({ background: 'white' });
  const { data, info } = await picture.png().toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height };
}

export async function measurements(bytes: Buffer, contentType: string): Promise<Measurements> {
  if (contentType === 'application/dicom') return measureDicom(bytes);
  const picture = await decode(bytes, contentType);
  const { depth, channels } = await sharp(bytes, INPUT).metadata();
  const colour = (channels ?? 1) >= 3;
  const grey = await picture.flatten({ background: 'black' }).greyscale().raw({ depth: 'uchar' }).toBuffer({
    resolveWithObject: true,
  });
  const image = {
    width: grey.info.width,
    height: grey.info.height,
    pixels: firstChannel(grey.data, grey.info.channels),
  };
  return { ...measure(image), colour, bitDepth: depth === 'ushort' ? 16 : 8, values: null };
}

const INPUT = { limitInputPixels: limits.megapixels * 1_000_000, failOn: 'error' } as const;

function fit(picture: Sharp, longest: number): Sharp {
  return picture
    .resize({ width: longest, height: longest, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb');
}

function decode(bytes: Buffer, contentType: string): Promise<Sharp> {
  switch (contentType) {
    case 'image/jpeg':
      return decodeRaster(bytes, 'jpeg');
    case 'image/png':
      return decodeRaster(bytes, 'png');
    case 'application/pdf':
      return decodePdf(bytes);
    case 'application/dicom':
      return decodeDicom(bytes);
    default:
      throw new Error('no decoder for this type');
  }
}

async function decodeRaster(bytes: Buffer, format: 'jpeg' | 'png'): Promise<Sharp> {
  const picture = sharp(bytes, INPUT);
  // sharp opens every format that it supports. Decode only the format that the gateway found.
  if ((await picture.metadata()).format !== format) throw new Error('another format than expected');
  return picture.autoOrient();
}

let pdfium: Promise<PDFiumLibrary> | null = null;

async function decodePdf(bytes: Buffer): Promise<Sharp> {
  pdfium ??= PDFiumLibrary.init();
  const document = await (await pdfium).loadDocument(bytes);
  try {
    const page = document.getPage(0);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    const scale = PAGE_PIXELS / Math.max(originalWidth, originalHeight, 1);
    const { data, width, height } = await page.render({ scale, render: 'bitmap' });
    return sharp(Buffer.from(data), { raw: { width, height, channels: 4 } }).flatten({ background: 'white' });
  } finally {
    document.destroy();
  }
}

async function decodeDicom(bytes: Buffer): Promise<Sharp> {
  const { pixels, width, height } = (await DicomFrames.open(bytes)).renderMiddle();
  return sharp(pixels, { raw: { width, height, channels: 4 } }).removeAlpha();
}

/** With more bits than this a histogram has more steps than the picture has pixels, and needs gigabytes. */
const HISTOGRAM_BITS = 16;

/** Measures over the full range of the values, not over the window of the display. */
async function measureDicom(bytes: Buffer): Promise<Measurements> {
  const frames = await DicomFrames.open(bytes);
  const calculateHistograms = frames.number('BitsAllocated', 8) <= HISTOGRAM_BITS;
  const shown = frames.renderMiddle({ renderOverlays: false, calculateHistograms });
  const values = shown.windowLevel ? rescaled(frames, valueRange(shown.histogram)) : null;
  const full = values ? frames.renderMiddle({ renderOverlays: false, windowLevel: fullWindow(values) }) : shown;
  return { ...measure(greyOf(full)), colour: !shown.windowLevel, bitDepth: frames.number('BitsStored', 8), values };
}

type Values = NonNullable<Measurements['values']>;

/** PS3.3 §C.11.2.1.2: the lowest value becomes black and the highest white. */
function fullWindow({ min, max }: Values): InstanceType<typeof WindowLevel> {
  return new WindowLevel(max - min + 1, (max + min + 1) / 2);
}

function valueRange(histogram: Histogram | undefined): Values | null {
  if (!histogram) return null;
  let [min, max, sum, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (let value = histogram.getMinimum(); value <= histogram.getMaximum(); value++) {
    const times = histogram.get(value) ?? 0;
    if (times === 0) continue;
    min = Math.min(min, value);
    max = value;
    sum += value * times;
    count += times;
  }
  return count > 0 ? { min, max, mean: sum / count } : null;
}

/** PS3.3 §C.11.1: converts stored values to those of the modality, which are Hounsfield units in a CT. */
function rescaled(frames: DicomFrames, stored: Values | null): Values | null {
  if (!stored) return null;
  const slope = frames.number('RescaleSlope', 1) || 1;
  const intercept = frames.number('RescaleIntercept', 0);
  const [a, b] = [stored.min * slope + intercept, stored.max * slope + intercept];
  return { min: Math.min(a, b), max: Math.max(a, b), mean: stored.mean * slope + intercept };
}

function greyOf({ pixels: rgba, width, height }: Frame): GreyImage {
  const pixels = new Uint8Array(width * height);
  for (let i = 0; i < pixels.length; i++) {
    const at = i * 4;
    // Rec. 601 luma, in integers.
    pixels[i] = ((rgba[at] ?? 0) * 77 + (rgba[at + 1] ?? 0) * 150 + (rgba[at + 2] ?? 0) * 29) >> 8;
  }
  return { width, height, pixels };
}

function firstChannel(data: Buffer, channels: number): Uint8Array {
  if (channels === 1) return data;
  return Uint8Array.from({ length: data.length / channels }, (_, i) => data[i * channels] ?? 0);
}
