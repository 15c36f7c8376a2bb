import { expect, it } from 'vitest';
import { compiled } from './compiled.js';

it('The compiled neighbour of a source is in dist.', () => {
  expect(compiled('./thread.js', 'file:///a/src/core/src/files/pool.ts').pathname).toBe(
    '/a/src/core/dist/files/thread.js',
  );
});

it('The neighbour of a compiled file is beside it, even in a folder below one called src.', () => {
  expect(compiled('./thread.js', 'file:///a/src/core/dist/files/pool.js').pathname).toBe(
    '/a/src/core/dist/files/thread.js',
  );
});
