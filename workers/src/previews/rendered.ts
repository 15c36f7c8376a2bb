import { limits } from '@lightbox/contract/limits.js';
import sharp, { type Sharp, type WebpOptions } from 'sharp';
import type { Drawn } from './dicom/drawn.js';

export interface Rendered {
  bytes: Buffer;
  width: number;
  height: number;
}

export const sharpOf = ({ pixels, width, height, channels }: Drawn): Sharp =>
  sharp(pixels, { raw: { width, height, channels } });

export const asPreview = (drawn: Drawn): Promise<Rendered> => asWebp(sharpOf(drawn), limits.previewPixels);

/** In pictures below this number of pixels a side every pixel counts. */
const SMALL = 64;
/** A preview of at most this size is stored without visible loss. Lists contain previews, so larger ones are compressed more. */
const SMALL_BYTES = 20 * 1024;

export async function asWebp(picture: Sharp, longest: number): Promise<Rendered> {
  const { data, info } = await fit(picture, longest).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const encode = (options: WebpOptions) => sharp(data, { raw: { width, height, channels } }).webp(options).toBuffer();
  const side = Math.max(width, height);
  if (side < SMALL) return { bytes: await encode({ lossless: true }), width, height };
  const near = side <= limits.previewPixels ? await encode({ nearLossless: true }) : null;
  const bytes = near && near.length <= SMALL_BYTES ? near : await encode({ quality: 90, smartSubsample: true });
  return { bytes, width, height };
}

export function fit(picture: Sharp, longest: number): Sharp {
  return picture
    .resize({ width: longest, height: longest, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb');
}
