import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { PATIENCE_MS } from '../testkit/src/patience.ts';

/** The journeys that take the longest, in this order. */
const longest = [
  'everyScreen.long',
  'viewer.long',
  'viewerFiles.long',
  'revocation.long',
  'seed.long',
  'secondFactor.long',
  'emergency.long',
  'screens.long',
  'story',
].map((name) => `/${name}.test.ts`);

/** Begins with the longest journeys. One that begins last would run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(name));
      return found < 0 ? longest.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
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
    globalSetup: ['src/sharedProduct.ts'],
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // The files of one worker run one after the other, and share its browser and its product (`src/journey.ts`).
    isolate: false,
    // Each test of a journey depends on the previous one.
    bail: 1,
    // On a machine with ten times more work than cores, the start of a product and its screens take two minutes.
    testTimeout: 480_000,
    hookTimeout: 480_000,
    // As long as Playwright waits for an element.
    expect: { poll: { timeout: PATIENCE_MS } },
  },
});
