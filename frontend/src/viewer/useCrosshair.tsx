import { VisuallyHidden } from '@chakra-ui/react';
import type { MarkKind } from '@lightbox/contract/annotations/schemas.js';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Pane } from './engine';
import type { ToolName } from './keys';
import { useShown } from './useShown';

type Place = readonly [x: number, y: number];

/** The points that a measurement needs. An ellipse has its middle and a corner, as by a pointer. */
const needed: Record<MarkKind, number> = { length: 2, angle: 3, ellipse: 2, probe: 1, arrow: 2 };
const isMeasuring = (tool: ToolName): tool is MarkKind => tool in needed;

/** The way of an arrow key in CSS pixels; with Shift it is one pixel. */
const STEP = 10;
const ways: Record<string, Place> = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

interface Drawing {
  at: Place;
  points: readonly Place[];
}

/** Returns the next state of a crosshair after a key, `made` after the last point, or undefined for another key. */
export function afterKey(
  { at, points }: Drawing,
  { key, shiftKey }: { key: string; shiftKey: boolean },
  count: number,
  [width, height]: Place,
): Drawing | 'made' | 'cancelled' | undefined {
  if (key === 'Escape') return 'cancelled';
  if (key === 'Enter') return points.length + 1 === count ? 'made' : { at, points: [...points, at] };
  const way = ways[key];
  if (!way) return undefined;
  const step = shiftKey ? 1 : STEP;
  const within = (value: number, most: number) => Math.max(0, Math.min(most, value));
  return { at: [within(at[0] + way[0] * step, width), within(at[1] + way[1] * step, height)], points };
}

/** The frame and its place on the pane, in tenths of a CSS pixel. */
function placeOf(pane: Pane): string {
  const numbers = Object.values(pane.corners() ?? {}).flat();
  return [pane.snapshot().frameId, ...numbers.map((value) => value.toFixed(1))].join(' ');
}

/**
 * Measures by keyboard: Enter shows a crosshair in the middle of the pane and sets the points, the arrows move it, Escape
 * removes it. Returns the crosshair, and the handler of the pane's keys.
 */
export function useCrosshair(
  pane: Pane | undefined,
  tool: ToolName,
): { crosshair: ReactNode; onKeyDown: (event: KeyboardEvent) => void } {
  const [begun, setBegun] = useState<Drawing & { tool: ToolName; place: string }>();
  const place = useShown(pane, () => (begun && pane ? placeOf(pane) : ''));
  // Its points are places on the pane, so it ends with its tool, and when another frame or the same one elsewhere is shown.
  const drawing = begun?.tool === tool && begun.place === place ? begun : undefined;
  const ended = begun !== undefined && drawing === undefined;
  useEffect(() => {
    if (ended) setBegun(undefined);
  }, [ended]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (pane?.snapshot().state !== 'drawn' || !isMeasuring(tool)) return;
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const { clientWidth, clientHeight } = pane.element;
    if (!drawing) {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      return setBegun({ tool, place: placeOf(pane), at: [clientWidth / 2, clientHeight / 2], points: [] });
    }
    const next = afterKey(drawing, event, needed[tool], [clientWidth, clientHeight]);
    if (!next) return;
    event.preventDefault();
    if (next === 'made') pane.measure(tool, [...drawing.points, drawing.at]);
    setBegun(typeof next === 'string' ? undefined : { ...drawing, ...next });
  };
  const crosshair =
    drawing && pane && isMeasuring(tool) ? (
      <Crosshair at={drawing.at} points={drawing.points} pane={pane} count={needed[tool]} />
    ) : null;
  return { crosshair, onKeyDown };
}

/** The crosshair at a place of the pane, with the points that are set. */
export function Crosshair({ at, points, pane, count }: Drawing & { pane: Pane; count: number }) {
  const { t } = useTranslation();
  const [x, y] = at;
  const [column, row] = pane.pixelAt(at) ?? [0, 0];
  return (
    <>
      <svg
        data-crosshair=""
        aria-hidden
        style={{ position: 'absolute', inset: 0, width: '100%', height: '100%', pointerEvents: 'none' }}
        stroke="rgb(255, 197, 102)"
        fill="none"
      >
        <path d={`M ${x - 24} ${y} h 20 m 8 0 h 20 M ${x} ${y - 24} v 20 m 0 8 v 20`} strokeWidth="1.5" />
        <polyline points={[...points, at].map((point) => point.join(',')).join(' ')} strokeDasharray="4 4" />
        {points.map(([px, py]) => (
          <circle key={`${px} ${py}`} cx={px} cy={py} r="4" />
        ))}
      </svg>
      <VisuallyHidden role="status" aria-live="polite">
        {t('viewer.crosshair', { n: points.length + 1, count, column: Math.round(column), row: Math.round(row) })}
      </VisuallyHidden>
    </>
  );
}
