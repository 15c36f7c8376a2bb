import type { Mark } from '@lightbox/contract/annotations/schemas.js';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { forgetPrivate } from '../../lib/private';
import { queryClient } from '../../lib/query';
import type { Engine } from '../useEngine';
import { useLayers } from './useLayers';

const [a, b, me, studyId] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(24)) as [string, string, string, string];

/** Opens a study of two images without marks. Only `answerSave` answers the saves. */
async function open() {
  let answerSave = () => {};
  const saves: { kept: boolean }[] = [];
  globalThis.fetch = async (_, init) => {
    if (init?.method !== 'PUT') return Response.json({ data: { mayAnnotate: true, layers: [] } });
    saves.push({ kept: init.keepalive === true });
    await new Promise<void>((resolve) => {
      answerSave = resolve;
    });
    const body = JSON.parse(String(init.body)) as object;
    return Response.json({ data: { id: 'l', imageId: a, author: { id: me }, updateAt: '', ...body, version: 1 } });
  };
  let drawn: { imageId: string; layer: undefined; mark: Mark }[] = [];
  let tell = () => {};
  const engine = {
    showMarks: (imageId: string, _: undefined, marks: readonly Mark[]) => {
      const others = drawn.filter((one) => one.imageId !== imageId);
      drawn = [...others, ...marks.map((mark) => ({ imageId, layer: undefined, mark }))];
    },
    drawnMarks: () => drawn,
    watchMeasures: (listener: () => void) => {
      tell = listener;
      return () => undefined;
    },
    watchArrows: () => () => undefined,
  } as unknown as Engine;
  const [source, images] = [{ studyId }, new Set([a, b])];
  const { result } = renderHook(() => useLayers({ engine, source, images, me, ended: false }), {
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(result.current.mayAnnotate).toBe(true));
  return {
    result,
    saves,
    answerSave: () => answerSave(),
    ids: () => drawn.map(({ mark }) => mark.id),
    draw: async (imageId: string, id: string) => {
      const before = result.current;
      drawn = [...drawn, { imageId, layer: undefined, mark: { id, kind: 'probe', frame: 1, points: [[1, 1]] } }];
      act(tell);
      // The change is heard with the next picture.
      await waitFor(() => expect(result.current).not.toBe(before));
    },
  };
}
afterEach(() => {
  forgetPrivate();
  queryClient.clear();
});

it('Undo in a study takes back the last mark, and not one on another slice that was drawn before.', async () => {
  const { result, draw, ids } = await open();
  await draw(a, 'first');
  await draw(b, 'second');
  await draw(a, 'third');
  act(() => result.current.undo());
  expect(ids().sort()).toEqual(['first', 'second']);
  act(() => result.current.undo());
  expect(ids()).toEqual(['first']);
});

it('Closing the page asks until the marks are saved, and saves them with a request that outlives the page.', async () => {
  const asks = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const { result, draw, saves, answerSave } = await open();
  expect(asks()).toBe(false);
  await draw(a, 'mark');
  expect(asks()).toBe(true);
  window.dispatchEvent(new Event('pagehide'));
  expect(saves).toEqual([{ kept: true }]);
  expect(asks()).toBe(true);
  answerSave();
  await waitFor(() => expect(result.current.state).toBe('saved'));
  expect(asks()).toBe(false);
});
