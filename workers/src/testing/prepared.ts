import { prepare } from '../previews/prepare.js';
import type { Pixels } from './dicom.js';
import { viewerFrame } from './viewerFrame.js';

/** Prepares a DICOM file in this process, and returns its drawing with the blob that its frames refer to. */
export async function prepared(file: Buffer) {
  const parts: Buffer[] = [];
  const result = await prepare(file, 'application/dicom', async (part) => void parts.push(Buffer.from(part)));
  return { ...result, blob: result.drawing.source === 'file' ? file : Buffer.concat(parts) };
}

/** Returns the values of a frame, from 0, as a viewer reads them. */
export async function seen(file: Buffer, frame = 0): Promise<number[]> {
  const { drawing, blob } = await prepared(file);
  return Array.from((await viewerFrame(drawing, blob, frame)).values);
}

/** A grey picture with a ramp of values. */
export const GREY: Pixels = { rows: 16, columns: 16, bits: 16 };
export const greys = Array.from({ length: 256 }, (_, i) => i * 200);
export const words = Buffer.from(Uint16Array.from(greys).buffer);
/** 8 × 8 pixels, each with another colour. */
export const COLOUR: Pixels = { rows: 8, columns: 8, samples: 3, bits: 8 };
export const colours = Array.from({ length: 64 }, (_, i) => [i * 4, 255 - i * 4, (i * 37) % 256]).flat();
export const pixels = Buffer.from(colours);
