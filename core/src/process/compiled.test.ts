import { expect, it } from 'vitest';
import { compiled } from './compiled.js';

it('finds the compiled neighbour of a source', () => {
  expect(compiled('./thread.js', 'file:///a/src/core/src/files/pool.ts').pathname).toBe(
    '/a/src/core/dist/files/thread.js',
  );
});

it('leaves what is compiled where it is, though the project lies in a folder called src', () => {
  expect(compiled('./thread.js', 'file:///a/src/core/dist/files/pool.js').pathname).toBe(
    '/a/src/core/dist/files/thread.js',
  );
});
