import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ApiError } from '../lib/http';
import { answer, renderScreen } from '../lib/testing';
import { Document } from './Document';
import { framesOfImage } from './engine/frameId';
import { type Entry, entriesOf, entryOfImage } from './entries';
import { renderedFrame } from './frames';
import { RenderedPages } from './RenderedPages';
import { type Place, useLayout } from './useLayout';

const id = 'c'.repeat(24);

it('A page that cannot be drawn is shown as such, and ends no access.', async () => {
  answer({ [`GET /upload/image/${id}/frames/1`]: () => ({ status: 404, body: { message: '', error: 'NO_FRAME' } }) });
  let refused = false;
  renderScreen(
    <RenderedPages
      frames={framesOfImage(id, 3)}
      start={0}
      onRefused={() => {
        refused = true;
      }}
    />,
  );
  await screen.findByText('This frame cannot be drawn');
  expect(refused).toBe(false);
});

it('A page that a worker still draws is asked for again, as often as the facts of a file are.', () => {
  const pending = new ApiError(404, 'PREVIEW_PENDING', '');
  const again = renderedFrame({ id, n: 1 }).retry as (count: number, error: Error) => boolean;
  expect([again(19, pending), again(20, pending), again(0, new ApiError(404, 'NO_FRAME', ''))]).toEqual([
    true,
    false,
    false,
  ]);
});

const facts: FrameFacts = { kind: 'dicom', frames: 1, modality: 'CT', windows: [], previewFrame: 1 };
const shown = () => document.querySelector<HTMLElement>('[data-viewport]') as HTMLElement;

it('Without the imaging library, each slice of a stack is the picture of its own file.', async () => {
  const images = ['1', '2', '3'].map((one) => ({ id: one.repeat(24), facts }));
  const [stack] = entriesOf({ id: '1', images }, 'Series 1');
  const heard = answer({});
  renderScreen(
    <Document entry={stack as Entry} waiting={false} preview={undefined} start={0} onRefused={() => undefined} />,
  );
  fireEvent.keyDown(shown(), { key: 'ArrowDown' });
  await waitFor(() => expect(heard.at(-1)?.path).toBe(`/upload/image/${'2'.repeat(24)}/frames/1?rendered=true`));
  expect(shown().dataset).toMatchObject({ image: '2'.repeat(24), frame: '2', frames: '3' });
});

const letter = [entryOfImage({ id, facts: { ...facts, kind: 'pdf', frames: 3 } }, 'Letter')];
/** A document in the layout of the viewer, opened at the position that the address names. */
function Letter({ start }: { start: { key: string; at: number } }) {
  const [place] = useLayout(letter, start, undefined).arrangement.places as [Place];
  return (
    <Document entry={place.entry} waiting={false} preview={undefined} start={place.at} onRefused={() => undefined} />
  );
}

it.each([
  ['is shown first', 1, '2'],
  ['behind the last one is the last one', 6, '3'],
])('The page of a document that the address names %s.', (_, at, page) => {
  answer({});
  renderScreen(<Letter start={{ key: id, at }} />);
  expect(shown().dataset.frame).toBe(page);
});
