import { limits } from '@lightbox/contract/limits.js';
import sharp, { type Sharp } from 'sharp';
import type { Drawn } from './dicom/drawn.js';

export interface Rendered {
  bytes: Buffer;
  width: number;
  height: number;
}

export const sharpOf = ({ pixels, width, height, channels }: Drawn): Sharp =>
  sharp(pixels, { raw: { width, height, channels } });

export const asPreview = (drawn: Drawn): Promise<Rendered> => asWebp(sharpOf(drawn), limits.previewPixels);

/** Pictures below this number of pixels a side are so small that every pixel counts. */
const SMALL = 64;

export async function asWebp(picture: Sharp, longest: number): Promise<Rendered> {
  const { data: raw, info: shape } = await fit(picture, longest).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = shape;
  const isSmall = Math.max(width, height) < SMALL;
  const data = await sharp(raw, { raw: { width, height, channels } })
    .webp(isSmall ? { lossless: true } : { nearLossless: true, quality: 80 })
    .toBuffer();
  return { bytes: data, width, height };
}

export function fit(picture: Sharp, longest: number): Sharp {
  return picture
    .resize({ width: longest, height: longest, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb');
}
