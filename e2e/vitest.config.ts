import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * Runs the browser journeys. Two run at once, because they mostly wait. `npm test` runs them last.
 */
export default defineConfig({
  root: import.meta.dirname,
  resolve: {
    alias: [{ find: /^@lightbox\/(\w+)\/(.+)\.js$/, replacement: join(import.meta.dirname, '../$1/src/$2.ts') }],
  },
  test: {
    name: 'journeys',
    include: ['src/**/*.test.ts'],
    maxWorkers: 2,
    // The files of one worker run one after the other, and share its browser and its product (`src/journey.ts`).
    isolate: false,
    // Each test of a journey depends on the previous one.
    bail: 1,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // As long as Playwright waits for an element.
    expect: { poll: { timeout: 20_000 } },
  },
});
