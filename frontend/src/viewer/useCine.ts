import { useEffect, useState } from 'react';
import type { Pane } from './engine';

const USUAL_MS = 100;
const FASTEST_MS = 16;

/** Plays the stack of a pane at the rate of the file. A frame that is not drawn yet is waited for, never left out. */
export function useCine(pane: Pane | undefined, frames: number, frameTime: number | undefined) {
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (frames < 2) setPlaying(false);
    if (!playing || !pane || frames < 2) return;
    const timer = setInterval(
      () => {
        const { state, frame } = pane.snapshot();
        if (state === 'failed') return setPlaying(false);
        if (frame - 1 === pane.target) pane.goTo(frame % frames);
      },
      Math.max(FASTEST_MS, frameTime ?? USUAL_MS),
    );
    return () => clearInterval(timer);
  }, [playing, pane, frames, frameTime]);
  return { playing, toggle: () => setPlaying((now) => !now && frames > 1), stop: () => setPlaying(false) };
}
