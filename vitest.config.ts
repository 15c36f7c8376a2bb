import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';
import { PATIENCE_MS } from './testkit/src/patience.ts';

const serverSide = ['contract', 'client', 'core', 'launcher', 'testkit', 'backend', 'workers', 'campaigns', 'infra'];

/**
 * Loading the component library takes longer than most test files, so the test files of the browser share their modules.
 * Files that replace a module or load one again have their own modules.
 */
const screens = readdirSync(join(import.meta.dirname, 'frontend/src'), { encoding: 'utf8', recursive: true })
  .map((file) => `frontend/src/${file.replaceAll('\\', '/')}`)
  .filter((file) => /\.test\.tsx?$/.test(file));
const replaces = /\bvi\.((do)?mock|resetModules)\(|\bconnectSession\(/i;
const alone = screens.filter((file) => replaces.test(readFileSync(join(import.meta.dirname, file), 'utf8')));

/** Imports each icon from its own file: the library's index loads three thousand files in each Vitest worker. */
const oneIconEach: Plugin = {
  name: 'one-icon-each',
  enforce: 'pre',
  transform: (code) => ({
    code: code.replace(/import \{([^}]*)\} from '(@phosphor-icons\/react)';/g, (_, names: string, library: string) => {
      const icons = names.split(',').map((name) => name.trim());
      return icons
        .filter((name) => /^\w+Icon$/.test(name))
        .map((name) => `import { ${name} } from '${library}/${name.replace(/Icon$/, '')}';`)
        .join(' ');
    }),
    map: null,
  }),
};

/**
 * Tests that start programs of the product, kill processes, cut networks, turn clocks, or repeat a thing many times:
 * `npm test -- --all`.
 */
const long = '**/*.long.test.ts';

const onServers = {
  environment: 'node',
  // Loading the modules again for each file would take longer than most files.
  isolate: false,
  globalSetup: ['testkit/src/globalSetup.ts'],
  // Long, for machines with other work: a test that measures time compares it by itself.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: PATIENCE_MS } },
} as const;

/**
 * Vitest keeps transformed modules on the disk from run to run. A module that lists files has to see new ones, and Vitest
 * recognises such a call only without a type.
 */
const freshLists: Plugin = {
  name: 'fresh-lists',
  configureVitest: ({ experimental_defineCacheKeyGenerator: defineKey }) =>
    defineKey(({ sourceCode }) => (sourceCode.includes('import.meta.glob') ? false : undefined)),
};

export default defineConfig({
  plugins: [freshLists],
  resolve: {
    // Tests run the sources: nothing has to be compiled first, and stack traces point to the sources.
    alias: [{ find: /^@lightbox\/(\w+)\/(.+)\.js$/, replacement: join(import.meta.dirname, '$1/src/$2.ts') }],
  },
  test: {
    experimental: { fsModuleCache: true },
    // Three test files at a time: small machines have two cores, and a file often waits, for servers, restarts and timeouts.
    // The same number in all projects: where it differs, Vitest may use a pool id twice.
    pool: 'forks',
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          ...onServers,
          name: 'node',
          include: serverSide.map((name) => `${name}/src/**/*.test.ts`),
          exclude: [
            long,
            // It needs the database's and age's own programs: `npm run test:backup`.
            ...(process.env.WITH_BACKUP_TOOLS ? [] : ['infra/src/backup.test.ts']),
          ],
        },
      },
      {
        extends: true,
        test: { ...onServers, name: 'long', include: serverSide.map((name) => `${name}/src/${long}`) },
      },
      {
        extends: true,
        plugins: [oneIconEach],
        test: {
          name: 'browser',
          environment: 'jsdom',
          isolate: false,
          include: screens.filter((file) => !alone.includes(file)),
          setupFiles: ['frontend/vitest.setup.ts', 'frontend/src/lib/Toasts.tsx'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        plugins: [oneIconEach],
        test: {
          name: 'browser-alone',
          environment: 'jsdom',
          include: alone,
          setupFiles: ['frontend/vitest.setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
