import { type PointerEvent, useRef } from 'react';

/** A swipe that is this long, in pixels, counts. The message follows the finger no further. */
const LONG_ENOUGH = 56;
/** The finger moves along the line of text when it moves sideways by so much more than up or down. */
const SIDEWAYS = 1.5;

interface Swipe {
  message: HTMLElement;
  x: number;
  y: number;
  /** Undefined until the direction of the finger is clear. */
  sideways?: boolean;
  by: number;
}

/** Calls `onSwipe` with the id of a message that a finger has moved towards the end of its line. */
export function useSwipe(onSwipe: (id: string) => void) {
  const swipe = useRef<Swipe | undefined>(undefined);
  const end = (counts: boolean) => () => {
    const { current } = swipe;
    swipe.current = undefined;
    if (!current) return;
    current.message.style.transform = '';
    const id = current.message.dataset.message;
    if (counts && id && Math.abs(current.by) >= LONG_ENOUGH) onSwipe(id);
  };
  return {
    onPointerDown: ({ pointerType, isPrimary, target, clientX: x, clientY: y }: PointerEvent) => {
      const message = (target as HTMLElement).closest<HTMLElement>('[data-message]');
      swipe.current = pointerType === 'touch' && isPrimary && message ? { message, x, y, by: 0 } : undefined;
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const { current } = swipe;
      if (!current) return;
      const [x, y] = [clientX - current.x, clientY - current.y];
      if (current.sideways === undefined && Math.hypot(x, y) > 10) {
        current.sideways = Math.abs(x) > SIDEWAYS * Math.abs(y);
      }
      if (!current.sideways) return;
      const along = document.dir === 'rtl' ? Math.min(0, x) : Math.max(0, x);
      current.by = Math.max(-LONG_ENOUGH, Math.min(LONG_ENOUGH, along));
      current.message.style.transform = `translateX(${current.by}px)`;
    },
    onPointerUp: end(true),
    onPointerCancel: end(false),
  };
}
