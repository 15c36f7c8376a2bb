import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import type { TextPlace } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import type { PictureFormat } from '@lightbox/core/imaging/formats.js';
import sharp, { type Sharp } from 'sharp';
import { loadCodecs } from './dicom/codecs.js';
import { openDicom } from './dicom/dicomFile.js';
import { drawFrame as drawFrameOf, drawPlain, greysOf, shapeOf } from './dicom/drawFrame.js';
import type { Drawn } from './dicom/drawn.js';
import { type Film, middleOf, openFilm } from './dicom/film.js';
import { modalityOf, rangeOf } from './dicom/grey.js';
import { type PlainFrame, plainFrame } from './dicom/plainFrame.js';
import { encapsulatedPdf } from './dicom/report.js';
import { findText } from './findText.js';
import { type GreyImage, type Measurements, measure } from './measure.js';
import type { FrameChoice, Grid } from './protocol.js';
import { asPicture, asWebp, type ForModel, fit, type Rendered, sharpOf, withSquarePixels } from './rendered.js';

/** Longest side of a rendered PDF page before it is scaled down: large enough that its text stays readable. */
const PAGE_PIXELS = 1536;
/** Longest side of a picture that is sent to a model. */
const MODEL_PIXELS = 1024;

/** Returns a small, newly encoded picture that contains nothing of the original but its pixels. */
export async function preview(bytes: Buffer, contentType: string): Promise<Rendered> {
  return asWebp(await decode(bytes, contentType), limits.previewPixels);
}

/** Draws one frame of a DICOM file, one page of a PDF, or a picture. */
export async function drawFrame(bytes: Buffer, contentType: string, choice: FrameChoice): Promise<Rendered> {
  const { frame, window, format } = choice;
  if (contentType !== 'application/dicom')
    return asPicture(await decode(bytes, contentType, frame, limits.renderedPixels), limits.renderedPixels, format);
  const file = openDicom(bytes);
  const pdf = encapsulatedPdf(file.set);
  if (pdf) return asPicture(await decodePdf(pdf, frame, limits.renderedPixels), limits.renderedPixels, format);
  await loadCodecs();
  const film = openFilm(file);
  if (frame > film.frames.count) throw new Error('no such frame');
  return asPicture(await decodeFrame(film, frame - 1, limits.renderedPixels, window), limits.renderedPixels, format);
}

/** Returns the middle square of a picture, small, as WebP without anything of the file but its pixels. */
export async function photo(bytes: Buffer, contentType: string): Promise<Rendered> {
  const side = limits.photoPixels;
  const square = (await decode(bytes, contentType)).resize({ width: side, height: side, fit: 'cover' });
  const { data } = await square
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .webp({ quality: 82 })
    .toBuffer({ resolveWithObject: true });
  return { bytes: data, width: side, height: side };
}

/** The picture that a model gets: on white, as large as models need. */
const sizedForModel = (picture: Sharp): Sharp => fit(picture, MODEL_PIXELS).flatten({ background: 'white' });

/** Returns a PNG, because every server that accepts pictures accepts PNG. */
export async function forModel(bytes: Buffer, contentType: string): Promise<ForModel> {
  const picture = await decode(bytes, contentType);
  const hasText = (await findTextIn(picture.clone())).length > 0;
  const { data, info } = await sizedForModel(picture).png().toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height, hasText };
}

/** Returns the plain values of the same picture, in the size that a classifier was trained on. */
export async function pixels(bytes: Buffer, contentType: string, grid: Grid | undefined): Promise<Rendered> {
  if (!grid) throw new Error('no size');
  const { width, height, channels } = grid;
  const sized = await sizedForModel(await decode(bytes, contentType))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { info } = sized;
  const raw = { width: info.width, height: info.height, channels: info.channels };
  const data = await sharp(sized.data, { raw })
    .resize({ width, height, fit: 'fill' })
    .removeAlpha()
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    .raw({ depth: 'uchar' })
    .toBuffer();
  return { bytes: data, width, height };
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

/** Finds printed text in a JPEG or PNG, as it stands upright. */
export const textOf = async (bytes: Buffer, contentType: string): Promise<TextPlace[]> =>
  findTextIn(await decode(bytes, contentType));

export const textOfDrawn = (drawn: Drawn): Promise<TextPlace[]> => findTextIn(sharpOf(drawn));

/** Looks at a picture of at most `renderedPixels` a side. Letters of larger pictures stay large enough. */
async function findTextIn(picture: Sharp): Promise<TextPlace[]> {
  const { data: whole, info: full } = await picture
    .flatten({ background: 'black' })
    .greyscale()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const side = limits.renderedPixels;
  const { data, info } = await sharp(whole, {
    raw: { width: full.width, height: full.height, channels: full.channels },
  })
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const scale = full.width / info.width;
  const found = findText({ width: info.width, height: info.height, pixels: firstChannel(data, info.channels) });
  return found.map(({ x0, y0, x1, y1 }) => ({
    x0: Math.floor(x0 * scale),
    y0: Math.floor(y0 * scale),
    x1: Math.min(full.width, Math.ceil(x1 * scale)),
    y1: Math.min(full.height, Math.ceil(y1 * scale)),
  }));
}

const INPUT = { limitInputPixels: limits.megapixels * 1_000_000, failOn: 'error' } as const;

async function decode(bytes: Buffer, contentType: string, page = 1, pixels = PAGE_PIXELS): Promise<Sharp> {
  switch (contentType) {
    case 'image/jpeg':
      return decodeRaster(bytes, 'jpeg');
    case 'image/png':
      return decodeRaster(bytes, 'png');
    // A preview of this product.
    case 'image/webp':
      return decodeRaster(bytes, 'webp');
    case 'application/pdf':
      return decodePdf(bytes, page, pixels);
    case 'application/dicom':
      return decodeDicom(bytes, pixels);
    default:
      throw new Error('no decoder for this type');
  }
}

export async function decodeRaster(bytes: Buffer, format: PictureFormat): Promise<Sharp> {
  const picture = sharp(bytes, INPUT);
  // sharp opens every format that it supports. Decode only the format that the gateway found.
  if ((await picture.metadata()).format !== format) throw new Error('another format than expected');
  return picture.autoOrient();
}

let pdfium: Promise<PDFiumLibrary> | null = null;

async function withPdf<T>(bytes: Buffer, use: (document: PDFiumDocument) => T | Promise<T>): Promise<T> {
  pdfium ??= PDFiumLibrary.init();
  const document = await (await pdfium).loadDocument(bytes);
  try {
    return await use(document);
  } finally {
    document.destroy();
  }
}

export const pageCount = (bytes: Buffer): Promise<number> => withPdf(bytes, (document) => document.getPageCount());

/** Draws a page, from 1, with this number of pixels on its longer side. */
const decodePdf = (bytes: Buffer, number: number, pixels: number): Promise<Sharp> =>
  withPdf(bytes, async (document) => {
    const page = document.getPage(number - 1);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    const scale = pixels / Math.max(originalWidth, originalHeight, 1);
    const { data, width, height } = await page.render({ scale, render: 'bitmap' });
    return sharp(Buffer.from(data), { raw: { width, height, channels: 4 } }).flatten({ background: 'white' });
  });

/** Draws the middle frame of a DICOM file. */
async function decodeDicom(bytes: Buffer, pixels: number): Promise<Sharp> {
  await loadCodecs();
  const film = openFilm(openDicom(bytes));
  return decodeFrame(film, middleOf(film.frames.count), pixels);
}

/** Draws a frame, from 0, with square pixels: as it lies in the file, or smaller. */
async function decodeFrame(film: Film, frame: number, longest: number, window?: FrameChoice['window']): Promise<Sharp> {
  const drawn = drawFrameOf(film, frame, { window, overlays: true });
  return sharpOf(await withSquarePixels(drawn, shapeOf(film, frame), longest));
}

/** Measures over the full range of the values, not over the window of the display. */
async function measureDicom(bytes: Buffer): Promise<Measurements> {
  await loadCodecs();
  const film = openFilm(openDicom(bytes));
  const middle = middleOf(film.frames.count);
  const plain = plainFrame(film, middle);
  const drawn = drawPlain(film, middle, plain, { window: 'full', overlays: false });
  const { bitsStored } = film.pixels;
  return {
    ...measure(greyOf(drawn)),
    colour: drawn.channels === 3,
    bitDepth: bitsStored,
    values: valuesOf(film, middle, plain),
  };
}

/** Returns the range of the values of the modality. */
function valuesOf(film: Film, frame: number, plain: PlainFrame): Measurements['values'] {
  const facts = greysOf(film, frame);
  const range = plain.samples === 1 ? rangeOf(plain, facts) : null;
  if (!range) return null;
  const modality = modalityOf(facts);
  const [a, b] = [modality(range.min), modality(range.max)];
  return { min: Math.min(a, b), max: Math.max(a, b), mean: modality(range.mean) };
}

function greyOf({ pixels: samples, width, height, channels }: Drawn): GreyImage {
  if (channels === 1) return { width, height, pixels: samples };
  const pixels = new Uint8Array(width * height);
  for (let i = 0; i < pixels.length; i++) {
    const at = i * 3;
    // Rec. 601 luma, in integers.
    pixels[i] = ((samples[at] ?? 0) * 77 + (samples[at + 1] ?? 0) * 150 + (samples[at + 2] ?? 0) * 29) >> 8;
  }
  return { width, height, pixels };
}

function firstChannel(data: Buffer, channels: number): Uint8Array {
  if (channels === 1) return data;
  return Uint8Array.from({ length: data.length / channels }, (_, i) => data[i * channels] ?? 0);
}
