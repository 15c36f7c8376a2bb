import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const serverSide = ['contract', 'core', 'backend', 'workers', 'infra'];

export default defineConfig({
  resolve: {
    // Tests run the sources: nothing has to be compiled first, and stack traces point at what one edits.
    alias: [{ find: /^@lightbox\/(\w+)\/(.+)\.js$/, replacement: join(import.meta.dirname, '$1/src/$2.ts') }],
  },
  test: {
    // Two test files at a time: each project's servers are shared, and two cores are what small machines have.
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          // Loading the modules anew for each file takes longer than most files.
          isolate: false,
          include: serverSide.map((name) => `${name}/src/**/*.test.ts`),
          globalSetup: ['core/src/testing/globalSetup.ts'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          environment: 'jsdom',
          include: ['frontend/src/**/*.test.{ts,tsx}'],
          setupFiles: ['frontend/vitest.setup.ts'],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
