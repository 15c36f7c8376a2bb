import { renderHook } from '@testing-library/react';
import { Provider } from 'jotai';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router-dom';
import { beforeEach, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { store } from '../lib/store';
import type { Pane } from './engine';
import { nothingShown } from './shown';
import { useCompany } from './useCompany';

beforeEach(() => {
  startSession(
    { id: 'a'.repeat(24), email: '', username: '', firstname: '', lastname: '', role: { name: 'patient' } },
    '',
  );
});

const inApp = ({ children }: { children: ReactNode }) => (
  <Provider store={store}>
    <MemoryRouter>{children}</MemoryRouter>
  </Provider>
);

/** The part of a pane that a pinned place needs, which needs no canvas. It notes the places that it is told to show. */
function paneOf() {
  const places: unknown[] = [];
  const pane = {
    subscribe: () => () => undefined,
    snapshot: () => ({ ...nothingShown, state: 'drawn' }),
    show: async (place: unknown) => void places.push(place),
  };
  return { places, pane: pane as unknown as Pane };
}

it('A pinned place is shown once, in the first pane, whichever pane is in use later.', () => {
  const [first, second] = [paneOf(), paneOf()];
  const [one, other] = [1, 2].map((frame) => ({ imageId: 'c'.repeat(24), frame, x: 3, y: 4 }));
  const start = { active: first.pane, place: one };
  const { rerender } = renderHook(
    (now: typeof start) => useCompany({ ...now, shared: first.pane, people: [], isGuest: false }),
    { initialProps: start, wrapper: inApp },
  );
  rerender({ active: second.pane, place: one });
  rerender({ active: first.pane, place: one });
  expect([first.places, second.places]).toEqual([[one], []]);
  // A link to another place of the picture.
  rerender({ active: second.pane, place: other });
  expect([first.places, second.places]).toEqual([[one, other], []]);
});
