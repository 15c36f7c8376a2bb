import type { VoiFunction } from '@lightbox/contract/images/voi.js';
import type { PinnedView, ViewState } from '@lightbox/contract/together/schemas.js';
import type { Edges } from './orientation';

/** A pane as it is on screen. All values belong to the frame whose pixels are drawn. */
export interface Shown {
  state: 'loading' | 'drawn' | 'failed';
  /** The product's id of the image. */
  image: string;
  frameId: string;
  /** The position in the stack, from 1, and the length of the stack. */
  frame: number;
  frames: number;
  center: number;
  width: number;
  zoom: number;
  rotation: number;
  flipped: boolean;
  inverted: boolean;
  colour: boolean;
  edges: Edges | undefined;
  /** The function by which the window is drawn. */
  voiFunction: VoiFunction;
  /** The lowest and highest value of the frame. */
  range: { lower: number; upper: number } | undefined;
  /** The window of the file, or the one that fits its values. */
  sent: { center: number; width: number } | undefined;
  /** Counts the renderings, so that overlays follow the picture. */
  drawing: number;
}

/** A pane that has no picture yet. */
export const nothingShown: Shown = {
  state: 'loading',
  image: '',
  frameId: '',
  frame: 1,
  frames: 0,
  center: 0,
  width: 1,
  zoom: 1,
  rotation: 0,
  flipped: false,
  inverted: false,
  colour: false,
  edges: undefined,
  voiFunction: 'LINEAR',
  range: undefined,
  sent: undefined,
  drawing: 0,
};

/** The attributes of a pane that tests and other programs read. They are true when the state is `drawn`. */
export const described = (shown: Shown) => ({
  'data-viewport': '',
  'data-state': shown.state,
  'data-image': shown.image,
  'data-frame': shown.frame,
  'data-frames': shown.frames,
  'data-center': shown.center,
  'data-width': shown.width,
  'data-zoom': shown.zoom,
  'data-rotation': shown.rotation,
  'data-flipped': shown.flipped,
  'data-inverted': shown.inverted,
});

/** The picture is flipped first and then turned clockwise. */
export interface Turned {
  rotation: number;
  flipHorizontal: boolean;
  flipVertical: boolean;
}

/** A pane as others can show it too. `x` and `y` are the place of the frame in the middle of the pane. */
export type PaneView = Required<Omit<ViewState, 'imageId'>>;
export type WantedView = Omit<PinnedView, 'imageId'>;

/** A picture that is flipped from top to bottom looks like one that is flipped from left to right and turned by half. */
export const sharedTurn = ({
  rotation,
  flipHorizontal,
  flipVertical,
}: Turned): Pick<PaneView, 'rotation' | 'flipped'> => ({
  rotation: ((rotation + (flipVertical ? 180 : 0)) % 360) as PaneView['rotation'],
  flipped: flipHorizontal !== flipVertical,
});

/** Returns the value of the frame before when it is equal, so that its readers see no change. */
export function kept<T extends object | undefined>(before: T, now: T): T {
  if (!before || !now) return now;
  const known: Record<string, unknown> = { ...before };
  return Object.entries(now).every(([key, value]) => known[key] === value) ? before : now;
}
