import { imageLoader } from '@cornerstonejs/core';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { answer } from '../../lib/testing';
import { frameIdOf } from './frameId';
import { startLoader } from './loader';
import { forgetFacts, markColoured, registerFacts } from './registry';

const id = 'c'.repeat(24);
const refused: string[] = [];
// jsdom has no threads, and no frame of these tests gets as far as a decoder.
beforeAll(() => vi.stubGlobal('Worker', class extends EventTarget {}));
// The files of one Vitest worker share the window, and would take it for a thread that answers.
afterAll(() => vi.unstubAllGlobals());
beforeAll(() => startLoader({ refused: (_, { code }) => refused.push(code), rendered: () => undefined, workers: 1 }));
afterEach(forgetFacts);

it.each([
  ['A frame that cannot be drawn ends no access', 'NO_FRAME', []],
  ['A frame that no worker has drawn yet ends no access', 'PREVIEW_PENDING', []],
  ['A picture that is not found any more ends the access', 'NOT_FOUND', ['NOT_FOUND']],
] as const)('%s.', async (_, error, told) => {
  refused.length = 0;
  registerFacts(id, { kind: 'dicom', frames: 2, rows: 2, columns: 2, modality: 'US', windows: [], previewFrame: 1 });
  answer({ [`GET /upload/image/${id}/frames/2`]: () => ({ status: 404, body: { message: '', error } }) });
  await expect(imageLoader.loadImage(frameIdOf({ id, n: 2 }))).rejects.toMatchObject({ code: error });
  expect(refused).toEqual(told);
});

it('A frame that a worker still draws is asked for again, and not said to be undrawable.', async () => {
  registerFacts(id, { kind: 'dicom', frames: 2, rows: 2, columns: 2, modality: 'US', windows: [], previewFrame: 1 });
  const asked: string[] = [];
  answer({
    [`GET /upload/image/${id}/frames/2`]: ({ path }) => {
      const pending = path.endsWith('?rendered=true') && asked.push(path) === 1;
      return { status: 404, body: { message: '', error: pending ? 'PREVIEW_PENDING' : 'NO_FRAME' } };
    },
  });
  markColoured(frameIdOf({ id, n: 2 }));
  await expect(imageLoader.loadImage(frameIdOf({ id, n: 2 }))).rejects.toMatchObject({ code: 'NO_FRAME' });
  expect(asked).toHaveLength(2);
});
