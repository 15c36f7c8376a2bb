import { type DataSet, Undrawable } from './dataSet.js';
import type { DicomFile } from './dicomFile.js';
import { type Frames, findFrames } from './findFrames.js';
import { type PixelModule, pixelModule } from './pixelModule.js';

/** A DICOM file with pixels: one frame or many. */
export interface Film {
  file: DicomFile;
  set: DataSet;
  pixels: PixelModule;
  frames: Frames;
  /** For pixels with fractions: plain frames hold steps of `slope` above `intercept`. */
  rescale: { slope: number; intercept: number } | null;
}

/** Opens the pixels of a DICOM file. Throws Undrawable when it has none, or when they contradict the header. */
export function openFilm(file: DicomFile): Film {
  const pixels = pixelModule(file.set);
  const frames = findFrames(file, pixels);
  return { file, set: file.set, pixels, frames, rescale: frames.values === 'integer' ? null : stepsOf(file, frames) };
}

const STEPS = 65_535;

/** Returns the steps of 16 bits that hold the values of all frames. */
function stepsOf({ bytes, set }: DicomFile, frames: Frames): { slope: number; intercept: number } {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let frame = 0; frame < frames.count; frame++) {
    for (const value of fractions(bytes, frames, frame, set.big)) {
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  if (!Number.isFinite(max - min)) throw new Undrawable('values without a range');
  return { slope: (max - min) / STEPS || 1, intercept: min };
}

/** Yields the values of a frame of Float or Double Float Pixel Data (PS3.3 §C.7.6.24). */
export function* fractions(bytes: Buffer, frames: Frames, frame: number, big: boolean): Generator<number> {
  const [[from, length] = [0, 0]] = frames.parts(frame);
  const size = frames.values === 'float' ? 4 : 8;
  for (let at = from; at + size <= from + length; at += size) {
    if (size === 4) yield big ? bytes.readFloatBE(at) : bytes.readFloatLE(at);
    else yield big ? bytes.readDoubleBE(at) : bytes.readDoubleLE(at);
  }
}

/** The middle frame shows more of a series or a film than the first one does. Counted from 0. */
export const middleOf = (count: number): number => Math.floor((Math.max(1, count) - 1) / 2);
