import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * Browser journeys, two at a time: `npm test` runs them after everything else.
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
    // One worker's files follow on each other, and share its browser and its product (`src/journey.ts`).
    isolate: false,
    // Each chapter stands on the one before.
    bail: 1,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // As long as a person's browser waits for something on the screen.
    expect: { poll: { timeout: 20_000 } },
  },
});
