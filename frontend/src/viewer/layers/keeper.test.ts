import { angleOf, areaOf, lengthOf, measuredBy, type Point } from '@lightbox/contract/annotations/measuring.js';
import type { Layer, Mark, MarkKind, SaveLayer } from '@lightbox/contract/annotations/schemas.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '../../lib/query';
import { answer } from '../../lib/testing';
import { Keeper } from './keeper';
import { callsFor, layersOf } from './layers';

describe('The keeper of marks', () => {
  const mark = (id: string, x = 0): Mark => ({ id, kind: 'probe', frame: 1, points: [[x, 0]] });
  const layer = (version: number, ...marks: Mark[]): Layer => ({
    id: 'layer',
    imageId: 'image',
    shared: false,
    version,
    updateAt: '2026-01-01T12:00:00.000Z',
    marks,
  });
  /** A keeper whose server answers as told. */
  function keeper(answers: (() => Promise<Layer>)[], stored?: Layer) {
    const sent: SaveLayer[] = [];
    const shown: (readonly Mark[])[] = [];
    const made = new Keeper({
      save: (body) => {
        sent.push(body);
        return (answers.shift() ?? (() => Promise.resolve(layer(body.version + 1, ...body.marks))))();
      },
      load: async () => stored,
      show: (marks) => void shown.push(marks),
      changed: () => undefined,
      judge: (error) => error as 'stale' | 'refused' | 'again',
    });
    return { made, sent, shown };
  }
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('Changes are saved once after a rest, with the version that was read.', async () => {
    const { made, sent } = keeper([]);
    made.read(layer(7));
    made.drawn([mark('a')]);
    made.drawn([mark('a', 1)]);
    expect([made.state, sent]).toEqual(['saving', []]);
    await vi.runAllTimersAsync();
    expect(sent).toEqual([{ version: 7, shared: false, marks: [mark('a', 1)] }]);
    expect(made.state).toBe('saved');
  });

  it('A change of another window is joined with the own one, and nothing is lost.', async () => {
    const { made, sent, shown } = keeper([() => Promise.reject('stale')], layer(2, mark('a', 5), mark('c')));
    made.read(layer(1, mark('a'), mark('gone')));
    made.drawn([mark('a'), mark('b')]);
    await vi.runAllTimersAsync();
    const joined = [mark('a', 5), mark('c'), mark('b')];
    expect(shown.at(-1)).toEqual(joined);
    expect(sent.at(-1)).toEqual({ version: 2, shared: false, marks: joined });
    expect(made.state).toBe('saved');
  });

  it('Marks that cannot be sent are kept and tried again; those that the server refuses are not.', async () => {
    const { made, sent } = keeper([() => Promise.reject('again'), () => Promise.reject('again')]);
    made.read(undefined);
    made.drawn([mark('a')]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(made.state).toBe('waiting');
    await vi.runAllTimersAsync();
    expect([made.state, sent.length]).toEqual(['saved', 3]);
    const refused = keeper([() => Promise.reject('refused')]);
    refused.made.read(undefined);
    refused.made.drawn([mark('a')]);
    await vi.runAllTimersAsync();
    expect([refused.made.state, refused.sent.length]).toEqual(['refused', 1]);
  });

  it('An answer that is older than the saved layer changes nothing, and undo brings a mark back.', async () => {
    const { made, shown } = keeper([]);
    made.read(layer(1, mark('a')));
    made.drawn([]);
    await vi.runAllTimersAsync();
    made.read(layer(1, mark('a')));
    expect(made.marks).toEqual([]);
    made.undo();
    expect(shown.at(-1)).toEqual([mark('a')]);
    await vi.runAllTimersAsync();
    expect(made.state).toBe('saved');
  });

  it('The same marks in another order are no change.', async () => {
    const { made, sent } = keeper([]);
    made.read(layer(1, mark('a'), mark('b')));
    made.drawn([mark('b'), mark('a')]);
    expect([made.state, made.lastChange]).toEqual(['saved', 0]);
    await vi.runAllTimersAsync();
    expect(sent).toEqual([]);
  });

  it('Undo takes back the own change, and leaves what another window added and deleted meanwhile.', async () => {
    const { made, sent } = keeper([]);
    const ids = () => sent.at(-1)?.marks.map(({ id }) => id);
    made.read(layer(1, mark('old')));
    made.drawn([mark('old'), mark('here')]);
    await vi.runAllTimersAsync();
    expect(ids()).toEqual(['old', 'here']);
    made.read(layer(3, mark('here'), mark('there')));
    made.undo();
    await vi.runAllTimersAsync();
    expect(ids()).toEqual(['there']);
  });

  it('A change that another window took back is no step of undo.', async () => {
    const { made, shown } = keeper([]);
    made.read(layer(1, mark('old')));
    made.drawn([mark('old', 1)]);
    made.drawn([mark('old', 1), mark('here')]);
    await vi.runAllTimersAsync();
    made.read(layer(3, mark('old', 1)));
    made.undo();
    expect(shown.at(-1)).toEqual([mark('old')]);
    expect(made.lastChange).toBe(0);
  });

  it('A keeper that has ended sends nothing more, also when its last save is answered late.', async () => {
    let refuse = (_: string) => {};
    const late = () =>
      new Promise<Layer>((_, reject) => {
        refuse = reject;
      });
    const { made, sent } = keeper([late], layer(5, mark('x')));
    made.read(layer(1));
    made.drawn([mark('here')]);
    await vi.runAllTimersAsync();
    expect(sent).toHaveLength(1);
    made.end();
    refuse('stale');
    await vi.runAllTimersAsync();
    expect(sent).toHaveLength(1);
  });
});

it('Marks that were saved do not vanish when an answer from before the first save arrives.', async () => {
  const author = { id: 'a'.repeat(24), firstname: 'Ana', lastname: 'Ruiz' };
  const layer = (version: number) => ({ id: 'layer', imageId: 'image', author, shared: false, version, marks: [] });
  answer({
    'GET /upload/image/image/annotations': () => ({ body: { data: { layers: [], mayAnnotate: true } } }),
    'PUT /upload/image/image/annotations': () => ({ body: { data: layer(7) } }),
  });
  const quick = globalThis.fetch;
  let arrive = () => {};
  const late = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  globalThis.fetch = async (url, init) => {
    const found = await quick(url, init);
    if (init?.method === 'GET') await late;
    return found;
  };
  const read = queryClient.fetchQuery(layersOf({ imageId: 'image' }));
  await callsFor('image', author.id).save({ version: 0, shared: false, marks: [] });
  arrive();
  await read;
  await waitFor(() =>
    expect(queryClient.getQueryData(layersOf({ imageId: 'image' }).queryKey)?.layers).toEqual([layer(7)]),
  );
});

it('The stored points of a mark give the value that the viewer shows.', () => {
  const at: Point[] = [
    [10, 20],
    [40, 60],
    [25, 70],
    [5, 8],
  ];
  const [a, b, c, d] = at as [Point, Point, Point, Point];
  const spaced: FrameFacts = {
    kind: 'dicom',
    frames: 1,
    modality: 'CT',
    windows: [],
    previewFrame: 1,
    pixelSpacing: [0.5, 0.25],
  };
  const value = (kind: MarkKind, points: Point[]) => measuredBy(spaced, { kind, frame: 1, points })?.value;
  expect(value('length', [a, b])).toBe(lengthOf(spaced, a, b).value);
  expect(value('angle', [a, b, c])).toBe(angleOf(spaced, [a, b, c]));
  expect(value('ellipse', at)).toBe(areaOf(spaced, [a, b, c, d]).value);
});
