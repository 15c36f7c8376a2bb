import { useEffect, useRef } from 'react';
import type { Pane } from './engine';
import { factsById } from './engine/registry';
import { partnerOf } from './linking';
import type { Engine } from './useEngine';
import { shownIn } from './useShown';

interface Side {
  pane: Pane | undefined;
  frameIds: readonly string[];
}

/** While two stacks are linked, the other one follows the active one. */
export function useLinked(linked: boolean, active: Side | undefined, other: Side | undefined) {
  /** The positions of both stacks when they were linked, or when the other pane became the active one. */
  const from = useRef<{ here: number; there: number }>(undefined);
  // A pane stays when another stack is put into it.
  const key = [active, other].map((side) => `${side?.pane?.id} ${side?.frameIds[0]}`).join(' ');
  const before = useRef('');
  useEffect(() => {
    const [here, there] = [active?.pane, other?.pane];
    // Stacks that are linked again start from where they stand then.
    if (!linked) before.current = '';
    if (!linked || !here || !there) return;
    let last = '';
    const follow = () => {
      const { frameId, frame, state } = here.snapshot();
      if (state !== 'drawn' || frameId === last) return;
      last = frameId;
      if (before.current !== key || !from.current) {
        before.current = key;
        from.current = { here: frame, there: there.snapshot().frame };
        return;
      }
      const byOffset = from.current.there + (frame - from.current.here) - 1;
      const to = partnerOf(frameId, other?.frameIds ?? [], factsById, byOffset);
      if (to !== undefined && to !== there.target) there.goTo(to);
    };
    follow();
    return here.subscribe(follow);
  }, [linked, key, active, other]);
}

/** Draws in the other panes where the slice of this one cuts them. Without a pane there is no line. */
export function useReferenceLines(engine: Engine | undefined, hasOthers: boolean, pane: Pane | undefined) {
  useEffect(() => {
    if (!hasOthers) return engine?.referTo(undefined);
    const refer = () => shownIn(pane).drawing > 0 && engine?.referTo(pane?.id);
    refer();
    return pane?.subscribe(refer);
  }, [engine, hasOthers, pane]);
}
