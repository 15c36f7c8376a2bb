import { type RefObject, useEffect } from 'react';

/** Scrolls the log to a message. It scrolls again to the same one when `turn` changes. */
export function useScrollTo(
  box: RefObject<HTMLElement | null>,
  id: string | undefined,
  turn: number | undefined,
  done: () => void,
) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls once for each turn
  useEffect(() => {
    if (!id) return;
    const log = box.current;
    const hit = log?.querySelector(`[data-message="${id}"]`);
    if (log && hit) {
      // `scrollIntoView` would scroll the frames around the log too, and hide the header of the chat.
      const [frame, place] = [log.getBoundingClientRect(), hit.getBoundingClientRect()];
      log.scrollTop += place.top - frame.top - (frame.height - place.height) / 2;
    }
    done();
  }, [id, turn]);
}
