import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Browser journeys on the whole product, one after the other: `npm test` runs them after everything else. */
export default defineConfig({
  root: import.meta.dirname,
  resolve: {
    alias: [{ find: /^@lightbox\/(\w+)\/(.+)\.js$/, replacement: join(import.meta.dirname, '../$1/src/$2.ts') }],
  },
  test: {
    name: 'journeys',
    include: ['src/**/*.test.ts'],
    fileParallelism: false,
    // Each chapter stands on the one before.
    bail: 1,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
