import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * Browser journeys, each on a product of its own, two at a time as they mostly wait: `npm test` runs them after everything
 * else.
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
    // Each chapter stands on the one before.
    bail: 1,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
