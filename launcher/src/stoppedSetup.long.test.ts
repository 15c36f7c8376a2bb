import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiled } from '@lightbox/core/process/compiled.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeLeftDownloads } from './binaries.js';
import { isRunning, markOf, type ProcessMark } from './processes.js';

const setup = pathToFileURL(join(import.meta.dirname, '../../scripts/setup.mjs')).href;
const processes = compiled('./processes.js', import.meta.url).href;

const soon = { timeout: 30_000 };

let folder: string;
const started: ProcessMark[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lightbox-setup-'));
});
afterEach(() => {
  for (const mark of started.splice(0)) if (isRunning(mark)) process.kill(mark.pid, 'SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Writes its number into the file, and goes on for long. */
const slow = 'echo $$ >> "$PIDS"; exec sleep 120';
/** Waits for another one, as npm and tsc do. */
const nested = `echo $$ >> "$PIDS"; sh -c '${slow}'; true`;

/** Runs a module until its programs have written their numbers. */
async function start(source: string, programs: number): Promise<ChildProcess> {
  const file = join(folder, 'pids');
  const parent = spawn(process.execPath, ['--input-type=module', '-e', source], {
    env: { ...process.env, PIDS: file },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const pids = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : []);
  await expect.poll(pids, soon).toHaveLength(programs);
  started.push(...pids().map((pid) => markOf('program', pid)));
  expect(started.filter(isRunning)).toHaveLength(programs);
  return parent;
}

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)(
  '%s at the first start ends what installs and builds, and what those have started.',
  async (signal, status) => {
    const run = `node(['-e', 'require("child_process").spawnSync("sh", ["-c", process.env.NESTED])'], ${JSON.stringify({ NESTED: nested })})`;
    const parent = await start(`import { node } from '${setup}'; await Promise.all([${run}, ${run}]);`, 4);
    parent.kill(signal);
    expect(await once(parent, 'exit')).toEqual([status, null]);
    await expect.poll(() => started.filter(isRunning), soon).toEqual([]);
  },
);

it('A download ends with the launcher.', async () => {
  const parent = await start(
    `import { runWithUs } from '${processes}';
     process.on('SIGTERM', () => process.exit(0));
     await runWithUs('sh', ['-c', ${JSON.stringify(slow)}], 120_000);`,
    1,
  );
  parent.kill('SIGTERM');
  await once(parent, 'exit');
  await expect.poll(() => started.filter(isRunning), soon).toEqual([]);
});

it('The folder of a download whose process has ended is removed, and that of one that runs stays.', () => {
  for (const name of ['bin', `download-${process.pid}-a`, 'download-99999999-b', 'download-Xy12ab'])
    mkdirSync(join(folder, name));
  removeLeftDownloads(folder);
  expect(readdirSync(folder).sort()).toEqual(['bin', `download-${process.pid}-a`]);
});
