import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureSecrets } from '@lightbox/core/config/secrets.js';
import { compiled } from '@lightbox/core/process/compiled.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Instance, InstanceFile, joinEnv, releaseDataDir, takeDataDir, writeInstance } from './instance.js';
import { hasEnded, isRunning, markOf, type ProcessMark } from './processes.js';

let folder: string;
const children: ChildProcess[] = [];
const lines: string[] = [];
const say = (line: string) => lines.push(line);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lightbox-instance-'));
  lines.length = 0;
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function someProcess(name: string): ProcessMark {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  children.push(child);
  return markOf(name, child.pid ?? 0);
}

const instance = (launcher: ProcessMark, changes: Partial<Instance> = {}): Instance => ({
  url: 'http://localhost:3000',
  launcher,
  settings: { MONGODB_URI: 'mongodb://own', REDIS_URL: 'redis://own', DEMO: '1' },
  secrets: ['APP_KEYS'],
  processes: [],
  ...changes,
});

it('A data folder belongs to one launcher, and to the next one after its release.', async () => {
  writeInstance(folder, instance(markOf('launcher', process.pid)));
  writeFileSync(join(folder, 'launcher.lock'), JSON.stringify(someProcess('launcher')));
  const before = () =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const files = before();
  await expect(takeDataDir(folder, say)).rejects.toThrow(/already runs.*localhost:3000/);
  releaseDataDir(folder);
  expect(before(), 'another launcher releases nothing').toEqual(files);
});

/** Reads a time, takes the folder then, and says whether it could. It runs until its input ends. */
const starter = `
  import { releaseDataDir, takeDataDir } from ${JSON.stringify(compiled('./instance.js', import.meta.url).href)};
  const [folder] = process.argv.slice(1);
  console.log('ready');
  process.stdin.once('data', async (at) => {
    while (Date.now() < Number(at));
    await takeDataDir(folder, () => {}).then(() => console.log('has it'), () => console.log('refused'));
  });
  process.stdin.on('end', () => releaseDataDir(folder));
`;

it('Of many launchers that start at once after one was killed, or has released the folder, one gets it.', async () => {
  writeFileSync(join(folder, 'launcher.lock'), JSON.stringify({ name: 'launcher', pid: 1, started: '' }));
  for (let round = 0; round < 6; round++) {
    const starters = Array.from({ length: 8 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', starter, folder], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    children.push(...starters);
    const lines = starters.map((each) => on(createInterface({ input: each.stdout }), 'line'));
    const next = () => Promise.all(lines.map(async (each) => String((await each.next()).value)));
    await next();
    for (const { stdin } of starters) stdin.write(String(Date.now() + 50));
    const said = await next();
    expect(
      said.filter((one) => one === 'has it'),
      said.join(),
    ).toHaveLength(1);
    for (const each of starters) round % 2 ? each.stdin.end() : each.kill('SIGKILL');
    await Promise.all(starters.map((each) => hasEnded(each) || once(each, 'exit')));
  }
});

it.each([
  ['ended', { name: 'launcher', pid: 2 ** 22 + 1, started: 'then' }],
  ['whose pid another process has now', { name: 'launcher', pid: process.ppid, started: 'then' }],
])('A launcher takes over from one that %s, and ends the processes that it left.', async (_, launcher) => {
  const left = someProcess('MongoDB');
  writeFileSync(join(folder, 'launcher.lock'), JSON.stringify(launcher));
  writeInstance(folder, instance(launcher, { processes: [left] }));
  await takeDataDir(folder, say);
  expect(isRunning(left)).toBe(false);
  expect(lines.join()).toContain('MongoDB');
});

it('A process that only has the same pid is never ended.', async () => {
  const stranger = someProcess('MongoDB');
  writeInstance(folder, instance(stranger, { processes: [{ ...stranger, started: 'another time' }] }));
  await takeDataDir(folder, say);
  expect(isRunning(stranger)).toBe(true);
});

it('A process joins a running instance with its addresses and keys, and its own settings take precedence.', () => {
  const { appKeys } = ensureSecrets(folder);
  writeInstance(folder, instance(someProcess('launcher')));
  expect(joinEnv({ REDIS_URL: 'redis://mine', SMTP_URL: '' }, folder)).toEqual({
    MONGODB_URI: 'mongodb://own',
    REDIS_URL: 'redis://mine',
    DEMO: '1',
    APP_KEYS: appKeys,
  });
});

it('A process that finds no instance to join ends with a message, unless both addresses are given.', () => {
  expect(() => joinEnv({}, folder)).toThrow(/npm start/);
  const env = { MONGODB_URI: 'mongodb://a', REDIS_URL: 'redis://b' };
  expect(joinEnv(env, folder)).toEqual(env);
});

it('A file that describes the instance and cannot be written, as on a full disk, is written later, and nothing ends.', async () => {
  mkdirSync(join(folder, 'instance.json.new'));
  const file = new InstanceFile(folder, () => instance(markOf('launcher', process.pid)), say, 50);
  file.write();
  file.write();
  expect(lines).toHaveLength(1);
  rmdirSync(join(folder, 'instance.json.new'));
  await expect.poll(() => existsSync(join(folder, 'instance.json'))).toBe(true);
});
