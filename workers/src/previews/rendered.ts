import { limits } from '@lightbox/contract/limits.js';
import type { PictureFormat } from '@lightbox/core/imaging/formats.js';
import sharp, { type Sharp, type WebpOptions } from 'sharp';
import type { Drawn } from './dicom/drawn.js';

export interface Rendered {
  bytes: Buffer;
  width: number;
  height: number;
}

/** A picture for a model, and whether it seems to contain printed text. */
export interface ForModel extends Rendered {
  hasText: boolean;
}

export const sharpOf = ({ pixels, width, height, channels }: Drawn): Sharp =>
  sharp(pixels, { raw: { width, height, channels } });

/** Returns a preview. `shape`: the height and the width of the pixels that are drawn. */
export const asPreview = async (drawn: Drawn, shape: readonly [row: number, column: number]): Promise<Rendered> =>
  asWebp(sharpOf(await withSquarePixels(drawn, shape, limits.previewPixels)), limits.previewPixels);

/** Longer pixels would leave a line of any picture, and numbers of a file may have an endless ratio. */
const MOST_STRETCH = 1_000_000;

/**
 * Returns a picture with square pixels, as viewers of pictures draw them. Its shorter side grows, and no side becomes longer
 * than `longest`.
 */
export async function withSquarePixels(
  drawn: Drawn,
  [row, column]: readonly [row: number, column: number],
  longest: number,
): Promise<Drawn> {
  if (row === column) return drawn;
  const stretch = (ratio: number) => Math.min(MOST_STRETCH, Math.max(1, ratio));
  const [width, height] = [drawn.width * stretch(column / row), drawn.height * stretch(row / column)];
  const scale = Math.min(1, longest / Math.max(width, height));
  const sized = (side: number) => Math.max(1, Math.round(side * scale));
  const { data, info } = await sharpOf(drawn)
    .resize({ width: sized(width), height: sized(height), fit: 'fill' })
    .toColourspace(drawn.channels === 1 ? 'b-w' : 'srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: drawn.channels, pixels: data };
}

/** In pictures below this number of pixels a side every pixel counts. */
const SMALL = 64;
/** A preview of at most this size is stored without visible loss. Lists contain previews, so larger ones are compressed more. */
const SMALL_BYTES = 20 * 1024;
/** The encoder's usual effort rarely halves the bytes of its lowest one, and takes ten times as long. */
const EFFORT_GAINS = 2;

export async function asWebp(picture: Sharp, longest: number): Promise<Rendered> {
  const { data, info } = await fit(picture, longest).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const encode = (options: WebpOptions) => sharp(data, { raw: { width, height, channels } }).webp(options).toBuffer();
  const side = Math.max(width, height);
  if (side < SMALL) return { bytes: await encode({ lossless: true }), width, height };
  const near = side <= limits.previewPixels ? await encodeSmall(encode) : null;
  // Sharp subsampling is slow, and only colours are subsampled.
  const bytes = near ?? (await encode({ quality: 90, smartSubsample: !isGrey(data, channels) }));
  return { bytes, width, height };
}

/** Returns a picture of at most this size in a format, WebP by default. */
export async function asPicture(picture: Sharp, longest: number, format: PictureFormat = 'webp'): Promise<Rendered> {
  if (format === 'webp') return asWebp(picture, longest);
  const fitted = fit(picture, longest);
  const encoded = format === 'png' ? fitted.png() : fitted.flatten().jpeg({ quality: 92, chromaSubsampling: '4:4:4' });
  const { data: bytes, info } = await encoded.toBuffer({ resolveWithObject: true });
  return { bytes, width: info.width, height: info.height };
}

/** Returns the picture without visible loss, or null when it is not small. */
async function encodeSmall(encode: (options: WebpOptions) => Promise<Buffer>): Promise<Buffer | null> {
  const quick = await encode({ nearLossless: true, effort: 0 });
  if (quick.length <= SMALL_BYTES) return quick;
  if (quick.length > SMALL_BYTES * EFFORT_GAINS) return null;
  const near = await encode({ nearLossless: true });
  return near.length <= SMALL_BYTES ? near : null;
}

function isGrey(data: Buffer, channels: number): boolean {
  if (channels < 3) return true;
  for (let at = 0; at < data.length; at += channels) {
    if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) return false;
  }
  return true;
}

export function fit(picture: Sharp, longest: number): Sharp {
  return picture
    .resize({ width: longest, height: longest, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb');
}
