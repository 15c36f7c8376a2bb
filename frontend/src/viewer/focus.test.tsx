import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useEffect, useState } from 'react';
import { beforeEach, expect, it } from 'vitest';
import { answer, opened, renderScreen } from '../lib/testing';
import type { Measure, Pane } from './engine';
import { frameIdOf } from './engine/frameId';
import { MarksSection } from './layers/MarksSection';
import type { MarkLayers } from './layers/useLayers';
import { Stage } from './Stage';
import { nothingShown } from './shown';
import { useAsking } from './useAsking';
import type { Company } from './useCompany';
import type { Layout } from './useLayout';

/** The element of a pane that takes the keys, and the part of the pane that it needs. There is no canvas. */
let keys: HTMLElement;
let pane: Pane;
beforeEach(() => {
  keys = document.createElement('div');
  keys.tabIndex = 0;
  const element = document.createElement('div');
  keys.append(element);
  document.body.append(keys);
  const snapshot = () => ({ ...nothingShown, image: 'c'.repeat(24), frameId: frameIdOf({ id: 'c'.repeat(24), n: 1 }) });
  pane = {
    element,
    snapshot,
    subscribe: () => () => undefined,
    pixelAt: () => [1, 2],
    view: () => ({ zoom: 1 }),
  } as never;
  answer({});
  return () => keys.remove();
});

it.each(['Enter', 'Escape'])(
  'After the words at an arrow, ended by %s, the keys belong to the picture again.',
  (key) => {
    const layout = { arrangement: { name: 'one', places: [] }, active: 0 } as unknown as Layout;
    const layers = { editing: 'one', textAt: () => '', setText: () => undefined, edit: () => undefined };
    renderScreen(
      <Stage
        {...{ layout, pane, tool: 'arrow', failed: false, subject: { marks: [], seen: undefined } }}
        layers={layers as unknown as MarkLayers}
        company={{} as Company}
        previewOf={() => undefined}
        onPane={() => undefined}
        onRefused={() => undefined}
      />,
    );
    const field = screen.getByRole('textbox', { name: 'Text at the arrow' });
    expect(document.activeElement).toBe(field);
    if (key === 'Enter') fireEvent.submit(field);
    else fireEvent.keyDown(field, { key });
    expect(document.activeElement).toBe(keys);
  },
);

const drawn = ['1', '2'].map(
  (uid): Measure => ({ uid, kind: 'length', frameId: '', value: 1, unit: 'mm', lines: [uid] }),
);
function Marks() {
  const [measures, setMeasures] = useState(drawn);
  const layers = { authors: [], isHidden: () => false, state: 'saved', mayAnnotate: false } as unknown as MarkLayers;
  return (
    <MarksSection
      {...{ layers, pane, measures, exports: false, onCuts: false }}
      onRemove={(uid) => setMeasures((now) => now.filter((one) => one.uid !== uid))}
    />
  );
}

it('After a mark is removed from the list, the next one has the focus, and after the last one the picture.', () => {
  renderScreen(<Marks />);
  const bin = (said: string) => screen.getByRole('button', { name: `Remove Length ${said}` });
  fireEvent.click(bin('2'));
  expect(document.activeElement).toBe(bin('1'));
  fireEvent.click(bin('1'));
  expect(document.activeElement).toBe(keys);
});

function Asking() {
  const { toggle, overlay, dialog } = useAsking(pane, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: Once, as by its button.
  useEffect(toggle, []);
  return (
    <>
      {overlay(pane)}
      {dialog}
    </>
  );
}

it('After the question whom to ask about a place, the keys belong to the picture again.', async () => {
  renderScreen(<Asking />);
  fireEvent.keyDown(screen.getByRole('application'), { key: 'Enter' });
  const dialog = await opened();
  fireEvent.keyDown(dialog, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(keys));
});
