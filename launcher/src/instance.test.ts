import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSecrets } from '@lightbox/core/config/secrets.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Instance, joinEnv, releaseDataDir, takeDataDir, writeInstance } from './instance.js';
import { isRunning, markOf, type ProcessMark } from './processes.js';

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

it('lets one launcher have a data folder, and the next when it is released', async () => {
  writeInstance(folder, instance(markOf('launcher', process.pid)));
  writeFileSync(join(folder, 'launcher.lock'), JSON.stringify(someProcess('launcher')));
  await expect(takeDataDir(folder, say)).rejects.toThrow(/already runs.*localhost:3000/);
  releaseDataDir(folder);
  await takeDataDir(folder, say);
  expect(lines).toEqual([]);
});

it.each([
  ['ended', { name: 'launcher', pid: 2 ** 22 + 1, started: 'then' }],
  ['whose pid somebody else has now', { name: 'launcher', pid: process.ppid, started: 'then' }],
])('takes over from a launcher that %s, and ends what it left', async (_, launcher) => {
  const left = someProcess('MongoDB');
  writeFileSync(join(folder, 'launcher.lock'), JSON.stringify(launcher));
  writeInstance(folder, instance(launcher, { processes: [left] }));
  await takeDataDir(folder, say);
  expect(isRunning(left)).toBe(false);
  expect(lines.join()).toContain('MongoDB');
});

it('never ends a process that merely has the same pid', async () => {
  const stranger = someProcess('MongoDB');
  writeInstance(folder, instance(stranger, { processes: [{ ...stranger, started: 'another time' }] }));
  await takeDataDir(folder, say);
  expect(isRunning(stranger)).toBe(true);
});

it('joins a running instance with its addresses and keys, own settings first', () => {
  const { appKeys } = ensureSecrets(folder);
  writeInstance(folder, instance(someProcess('launcher')));
  expect(joinEnv({ REDIS_URL: 'redis://mine', SMTP_URL: '' }, folder)).toEqual({
    MONGODB_URI: 'mongodb://own',
    REDIS_URL: 'redis://mine',
    DEMO: '1',
    APP_KEYS: appKeys,
  });
});

it('has nothing to join: a message, unless the addresses are given', () => {
  expect(() => joinEnv({}, folder)).toThrow(/npm start/);
  const env = { MONGODB_URI: 'mongodb://a', REDIS_URL: 'redis://b' };
  expect(joinEnv(env, folder)).toEqual(env);
});
