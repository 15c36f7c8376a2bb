import { pixelShape } from '@lightbox/contract/annotations/measuring.js';
import type { Drawn } from './drawn.js';
import { greyFacts, groupFacts, placeFacts } from './facts.js';
import type { Film } from './film.js';
import { brightness, type GreyFacts, type ShownWindow } from './grey.js';
import { drawOverlays, overlaysOf } from './overlays.js';
import { type PlainFrame, plainFrame } from './plainFrame.js';

export interface DrawOptions {
  /** Replaces the window of the file; `full` shows the whole range of values. */
  window?: ShownWindow | 'full' | undefined;
  overlays: boolean;
}

/** Returns how the greys of a frame are shown, from 0. */
export function greysOf(film: Film, frame: number): GreyFacts & { photometricInterpretation: string } {
  const ofFile = greyFacts(film);
  const { windows = ofFile.windows, ...ofFrame } = groupFacts(film, frame);
  return { ...ofFile, ...ofFrame, windows, photometricInterpretation: film.pixels.photometric };
}

/** Returns the height and the width of the pixels of a frame, from 0, in proportion. */
export const shapeOf = (film: Film, frame: number): readonly [row: number, column: number] =>
  pixelShape({ ...placeFacts(film.set), ...groupFacts(film, frame) });

/** Draws a frame, from 0. `loadCodecs` must have resolved. */
export function drawFrame(film: Film, frame: number, options: DrawOptions): Drawn {
  return drawPlain(film, frame, plainFrame(film, frame), options);
}

export function drawPlain(film: Film, frame: number, plain: PlainFrame, { window, overlays }: DrawOptions): Drawn {
  const { columns: width, rows: height, samples: channels } = plain;
  const pixels = channels === 3 ? (plain.pixels as Uint8Array) : brightness(plain, greysOf(film, frame), window);
  const drawn: Drawn = { width, height, channels, pixels };
  if (overlays) drawOverlays(drawn, overlaysOf(film), frame);
  return drawn;
}
