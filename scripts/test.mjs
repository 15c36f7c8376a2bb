// `npm test`: runs the checks, one step after the other. The first failed step ends it.
// `npm test -- --all` runs the long tests too (`*.long.test.ts`), and every cell of the tables of access, as continuous
// integration does.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { node, root, StepError, setup } from './setup.mjs';

const results = join(root, 'test-results');
/** The long tests are a project of the one configuration, and files of the other. */
const isWhole = process.argv.includes('--all');
const short = isWhole ? [] : ['--project=!long', '--exclude=**/*.long.test.ts'];
if (isWhole) process.env.ALL_CELLS = '1';
/** The tables that `npm test` samples. A sample may fail where the whole table does not, so `--all` runs both. */
const tables = ['authorization', 'guests/guests', 'lists'].map((name) => `backend/src/${name}`);
const sampled = { title: 'Tables, sampled', run: sample };
const counts = { passed: 0, failed: 0 };
/** The seconds of each step that was done. */
const times = [];

const steps = [
  { title: 'Dependencies and build', run: setup },
  { title: 'Format, lint and test servers', run: lintAndFetch },
  { title: 'Unit and integration tests', run: () => tests('unit', root) },
  ...(isWhole ? [sampled] : []),
  { title: 'Browser journeys', run: () => tests('journeys', join(root, 'e2e'), '--config', 'e2e/vitest.config.ts') },
];

/** Downloads the programs of the test servers meanwhile, if the machine has none. */
async function lintAndFetch() {
  const { findMongod, findValkey } = await import(pathToFileURL(join(root, 'launcher/dist/binaries.js')).href);
  await Promise.all([
    node([module('@biomejs/biome/bin/biome'), 'ci', '.']),
    findMongod(console.log),
    findValkey(console.log),
  ]);
}

/** Runs Vitest and counts its tests. The journeys run the whole product in real browsers. */
function vitest(name, ...options) {
  const file = join(results, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  return counted(
    file,
    () => node([module('vitest/vitest.mjs'), 'run', ...short, ...options, ...reporters]),
    readVitest,
  );
}

/**
 * Runs a configuration. In continuous integration, files with a failed test are run once more, with those that `bail` has
 * stopped: a machine of others may stall for a minute. A fault of the product fails twice. The output names each test that
 * passed at the second time only.
 */
async function tests(name, folder, ...options) {
  const before = { ...counts };
  try {
    await vitest(name, ...options);
  } catch (error) {
    const file = join(results, `${name}.json`);
    if (!process.env.CI || !existsSync(file)) throw error;
    const files = JSON.parse(readFileSync(file, 'utf8')).testResults.map(({ name: path, assertionResults }) => ({
      path: relative(folder, path),
      all: assertionResults,
      failed: assertionResults.find(({ status }) => status === 'failed'),
    }));
    const passed = files.filter(({ all }) => all.length > 0 && all.every(({ status }) => status === 'passed'));
    Object.assign(counts, before);
    counts.passed += passed.reduce((sum, { all }) => sum + all.length, 0);
    const others = files.filter((file) => !passed.includes(file)).map(({ path }) => path);
    if (others.length === 0) throw error;
    // A journey that fails stops those that have not begun, and they are not in the results.
    const again = name === 'journeys' ? passed.map(({ path }) => `--exclude=${path}`) : others;
    await vitest(`${name}-again`, ...options, ...again);
    for (const { path, failed } of files)
      if (failed) times.push(`FAILED ONCE, passed at the second run: ${path}, "${failed.title}"`);
  }
}

async function sample() {
  delete process.env.ALL_CELLS;
  await tests('sampled', root, '--project=node', ...tables);
}

const readVitest = ({ numPassedTests, numFailedTests }) => ({ passed: numPassedTests, failed: numFailedTests });

/** Adds the results of a step to the counts, also when it has failed. */
async function counted(file, work, read) {
  rmSync(file, { force: true });
  try {
    await work();
  } finally {
    if (existsSync(file)) {
      const { passed, failed } = read(JSON.parse(readFileSync(file, 'utf8')));
      counts.passed += passed;
      counts.failed += failed;
    }
  }
}

const module = (path) => join(root, 'node_modules', path);

mkdirSync(results, { recursive: true });
try {
  for (const { title, run } of steps) {
    console.log(`\n── ${title}`);
    const since = Date.now();
    await run();
    times.push(`${title}: ${Math.round((Date.now() - since) / 1000)} s`);
  }
} catch (error) {
  console.error(`\n${error instanceof StepError ? error.message : error.stack}`);
  // A step that fails without a failed test (a lint fault, a file that cannot be loaded) counts as one.
  counts.failed = Math.max(counts.failed, 1);
  process.exitCode = 1;
}
console.log(`\n${times.join('\n')}`);
console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
