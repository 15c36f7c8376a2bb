import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Begins with the longest file: it takes as long as a worker needs for several others. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => Number(moduleId.endsWith('everyScreen.test.ts'));
    return (await super.sort(files)).toSorted((one, other) => isLongest(other) - isLongest(one));
  }
}

/**
 * Runs the browser journeys. Three run at once, because they wait for a third of their time. `npm test` runs them last.
 */
export default defineConfig({
  root: import.meta.dirname,
  resolve: {
    alias: [{ find: /^@lightbox\/(\w+)\/(.+)\.js$/, replacement: join(import.meta.dirname, '../$1/src/$2.ts') }],
  },
  test: {
    name: 'journeys',
    include: ['src/**/*.test.ts'],
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
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
