import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import { type Dispatch, type PointerEvent, type RefObject, useRef } from 'react';
import { type Act, between, type Corner, moved, resized, type Size } from './rectangles';

/** A movement of the pointer that has begun: a new rectangle, or one that is moved or gets another size. */
interface Movement {
  /** The mouse or the finger. Other fingers change nothing. */
  pointer: number;
  from: readonly [number, number];
  original: BlackRectangle | null;
  corner: Corner | null;
  begun: boolean;
}

/** Pixels of the screen below which a movement is a touch. */
const TOUCH = 4;

/** Rectangles by mouse and finger, on an element with a frame of this size. `begin` starts at a rectangle or its corner. */
export function useDrag(box: RefObject<HTMLElement | null>, size: Size, act: Dispatch<Act>) {
  const movement = useRef<Movement>(null);
  const scale = () => {
    const { width, height } = box.current?.getBoundingClientRect() ?? { width: 1, height: 1 };
    return [size.columns / width, size.rows / height] as const;
  };
  function begin(event: PointerEvent, original: BlackRectangle | null, corner: Corner | null = null) {
    if (event.button !== 0 || !event.isPrimary) return;
    event.stopPropagation();
    box.current?.setPointerCapture(event.pointerId);
    movement.current = {
      pointer: event.pointerId,
      from: [event.clientX, event.clientY],
      original,
      corner,
      begun: false,
    };
  }
  function go(event: PointerEvent) {
    const going = movement.current;
    if (going?.pointer !== event.pointerId) return;
    const [dx, dy] = [event.clientX - going.from[0], event.clientY - going.from[1]];
    if (!going.begun && Math.hypot(dx, dy) < TOUCH) return;
    const [sx, sy] = scale();
    const live = going.begun;
    going.begun = true;
    if (going.original) {
      const to = going.corner
        ? resized(going.original, going.corner, dx * sx, dy * sy, size)
        : moved(going.original, dx * sx, dy * sy, size);
      return act({ type: 'change', to, live });
    }
    const { left, top } = box.current?.getBoundingClientRect() ?? { left: 0, top: 0 };
    const start = [(going.from[0] - left) * sx, (going.from[1] - top) * sy] as const;
    const to = between(start, [start[0] + dx * sx, start[1] + dy * sy], size);
    act(live ? { type: 'change', to, live } : { type: 'add', rectangles: [to] });
  }
  function end(event: PointerEvent) {
    const going = movement.current;
    if (going?.pointer !== event.pointerId) return;
    movement.current = null;
    if (!going.begun && !going.original) act({ type: 'select', at: null });
  }
  const handlers = {
    onPointerDown: (event: PointerEvent) => begin(event, null),
    onPointerMove: go,
    onPointerUp: end,
    onPointerCancel: end,
  };
  return { begin, handlers };
}
