import type { Point } from '@lightbox/contract/annotations/measuring.js';
import { PinnedView } from '@lightbox/contract/together/schemas.js';
import type { Pane } from './engine';
import { frameOf } from './engine/frameId';
import { shownIn } from './useShown';

const numbers = ['frame', 'x', 'y', 'zoom', 'center', 'width', 'rotation'] as const;
const flags = ['inverted', 'flipped'] as const;

/** Returns the place that an address names; undefined when it names none, or none that can be. */
export function placeIn(imageId: string, params: URLSearchParams): PinnedView | undefined {
  const given = <T>(names: readonly string[], read: (value: string) => T) =>
    names.flatMap((name) => (params.has(name) ? [[name, read(params.get(name) ?? '')] as const] : []));
  const values = [...given(numbers, Number), ...given(flags, (value) => value === 'true')];
  return PinnedView.safeParse({ imageId, ...Object.fromEntries(values) }).data;
}

const tenth = (value: number) => Math.round(value * 10) / 10;

/** Returns the pinned place of a point on the pane, as the pane shows it now. */
export function pinAt(pane: Pane, point: Point): PinnedView | undefined {
  const view = pane.view();
  if (!view) return undefined;
  const { image, frameId, colour } = shownIn(pane);
  const { center, width, zoom, rotation, inverted, flipped } = view;
  return {
    imageId: image,
    frame: frameOf(frameId).n,
    x: tenth(point[0]),
    y: tenth(point[1]),
    zoom,
    ...(colour ? {} : { center, width }),
    ...(rotation ? { rotation } : {}),
    ...(inverted ? { inverted } : {}),
    ...(flipped ? { flipped } : {}),
  };
}

/** True while the pane shows the frame of the place. */
export function isShown(pane: Pane, { imageId, frame }: PinnedView): boolean {
  const { state, image, frameId } = shownIn(pane);
  return state === 'drawn' && image === imageId && (frame === undefined || frameOf(frameId).n === frame);
}
