import { renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Pane } from './engine';
import { frameIdOf } from './engine/frameId';
import { nothingShown } from './shown';
import { useLinked } from './useLinked';

/** The part of a pane that linking needs, which needs no canvas: a position that is drawn at once. */
function paneOf(name: string, frames = 40) {
  const frameIds = Array.from({ length: frames }, (_, i) => frameIdOf({ id: name, n: i + 1 }));
  const changed = new Set<() => void>();
  let at = 0;
  const goTo = (to: number) => {
    at = to;
    for (const one of changed) one();
  };
  const pane = {
    id: name,
    goTo,
    subscribe: (one: () => void) => {
      changed.add(one);
      return () => changed.delete(one);
    },
    snapshot: () => ({ ...nothingShown, state: 'drawn', frameId: frameIds[at], frame: at + 1, frames }),
    get target() {
      return at;
    },
  } as unknown as Pane;
  return { pane, frameIds };
}
type Side = ReturnType<typeof paneOf>;

it('Stacks that are linked again keep the distance that they have then, not that of the first time.', () => {
  const [active, other] = [paneOf('active'), paneOf('other')];
  const { rerender } = renderHook(({ linked }) => useLinked(linked, active, other), {
    initialProps: { linked: true },
  });
  active.pane.goTo(4);
  expect(other.pane.target).toBe(4);
  rerender({ linked: false });
  active.pane.goTo(20);
  rerender({ linked: true });
  expect(other.pane.target).toBe(4);
  active.pane.goTo(22);
  expect(other.pane.target).toBe(6);
});

it('Another stack in the active pane starts where both stand then.', () => {
  const [active, other] = [paneOf('active'), paneOf('other')];
  const further = paneOf('further');
  const { rerender } = renderHook(({ side }: { side: Side }) => useLinked(true, side, other), {
    initialProps: { side: active },
  });
  active.pane.goTo(4);
  further.pane.goTo(10);
  // The pane stays when another stack is put into it.
  rerender({ side: { ...further, pane: Object.assign(further.pane, { id: 'active' }) } });
  expect(other.pane.target).toBe(4);
});
