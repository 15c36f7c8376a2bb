import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { useEffect, useRef } from 'react';
import type { Pane } from './engine';
import { frameOf, scheme } from './engine/frameId';
import { fromBase64 } from './engine/pixels';
import { factsById } from './engine/registry';
import type { Shown } from './shown';
import { useShown } from './useShown';

type Overlay = NonNullable<FrameFacts['overlays']>[number];

/** Returns the place of an overlay's bits of this frame, or undefined when the overlay does not cover the frame. */
export function bitsFor({ rows, columns, frameOrigin = 1, frames }: Overlay, n: number): number | undefined {
  if (frames === undefined) return 0;
  const index = n - frameOrigin;
  return index >= 0 && index < frames ? index * rows * columns : undefined;
}

function draw(canvas: HTMLCanvasElement, overlay: Overlay, from: number) {
  const { rows, columns } = overlay;
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext('2d');
  if (!context) return;
  const bits = fromBase64(overlay.bits);
  const picture = context.createImageData(columns, rows);
  for (let i = 0; i < rows * columns; i++) {
    const bit = from + i;
    if ((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) picture.data.set([255, 197, 102, 255], i * 4);
  }
  context.putImageData(picture, 0, 0);
}

function One({ overlay, from, pane }: { overlay: Overlay; from: number; pane: Pane }) {
  const drawing = useShown(pane, (shown) => shown.drawing);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current) draw(canvas.current, overlay, from);
  }, [overlay, from]);
  const corners = drawing >= 0 ? pane.corners() : undefined;
  if (!corners) return null;
  const { origin, right, down } = corners;
  const [a, b, c, d] = [right[0] - origin[0], right[1] - origin[1], down[0] - origin[0], down[1] - origin[1]];
  const [x, y] = [overlay.originColumn - 1, overlay.originRow - 1];
  const matrix = [a, b, c, d, origin[0] + x * a + y * c, origin[1] + x * b + y * d].join(',');
  return (
    <canvas
      ref={canvas}
      aria-hidden
      style={{
        position: 'absolute',
        left: 0,
        top: 0,
        transformOrigin: '0 0',
        transform: `matrix(${matrix})`,
        pointerEvents: 'none',
        imageRendering: 'pixelated',
      }}
    />
  );
}

const overlaysOf = ({ frameId }: Shown) =>
  frameId.startsWith(`${scheme}:`) ? factsById(frameOf(frameId).id)?.overlays : undefined;

/** The overlays of the file (PS3.3 §C.9.2), drawn over the picture and moved with it. Values under them are unchanged. */
export function Overlays({ pane }: { pane: Pane }) {
  const overlays = useShown(pane, overlaysOf);
  const n = useShown(pane, (shown) => (overlays ? frameOf(shown.frameId).n : 0));
  return overlays?.map((overlay, i) => {
    const from = bitsFor(overlay, n);
    // biome-ignore lint/suspicious/noArrayIndexKey: the overlays of a file have a fixed order and no name
    return from === undefined ? null : <One key={i} {...{ overlay, from, pane }} />;
  });
}
