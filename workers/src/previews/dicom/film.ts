import type { DataSet } from './dataSet.js';
import type { DicomFile } from './dicomFile.js';
import { type Frames, findFrames } from './findFrames.js';
import { type PixelModule, pixelModule } from './pixelModule.js';

/** A DICOM file with pixels: one frame or many. */
export interface Film {
  file: DicomFile;
  set: DataSet;
  pixels: PixelModule;
  frames: Frames;
}

/** Opens the pixels of a DICOM file. Throws Undrawable when it has none, or when they contradict the header. */
export function openFilm(file: DicomFile): Film {
  const pixels = pixelModule(file.set);
  return { file, set: file.set, pixels, frames: findFrames(file, pixels) };
}

/** The middle frame shows more of a series or a film than the first one does. Counted from 0. */
export const middleOf = (count: number): number => Math.floor((Math.max(1, count) - 1) / 2);
