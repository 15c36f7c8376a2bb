import { useEffect, useRef } from 'react';
import type { Pane, Shown } from './engine';
import { factsById } from './engine/registry';
import { partnerOf } from './linking';

interface Side {
  pane: Pane | undefined;
  frameIds: readonly string[];
}

/** While two stacks are linked, the other one follows the active one. */
export function useLinked(linked: boolean, active: Side | undefined, other: Side | undefined, shown: Shown) {
  /** The positions of both stacks when they were linked, or when the other pane became the active one. */
  const from = useRef<{ here: number; there: number }>(undefined);
  const key = linked ? `${active?.pane?.id} ${other?.pane?.id} ${other?.frameIds[0]}` : '';
  const before = useRef('');
  const { frameId, frame, state } = shown;
  useEffect(() => {
    if (!linked || !active?.pane || !other?.pane || state !== 'drawn') return;
    const there = other.pane.snapshot();
    if (before.current !== key || !from.current) {
      before.current = key;
      from.current = { here: frame, there: there.frame };
      return;
    }
    const to = partnerOf(frameId, other.frameIds, factsById, from.current.there + (frame - from.current.here) - 1);
    if (to !== undefined && to !== other.pane.target) other.pane.goTo(to);
  }, [linked, key, active, other, frameId, frame, state]);
}
