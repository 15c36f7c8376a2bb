// Prepares a clone to run: checks Node, installs the dependencies, builds. Steps that are up to date are skipped.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const serverSide = workspaces.filter((name) => name !== 'frontend');

/** The error of a failed step. The output of the step says the reason. */
export class StepError extends Error {}

export async function setup() {
  checkNode();
  await install();
  await build();
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new StepError(
    `Lightbox needs Node 20.19 or newer. This is Node ${process.versions.node}. Download a newer one from https://nodejs.org (24 LTS is best).`,
  );
}

async function install() {
  const stamp = join(root, 'node_modules/.lightbox-lock');
  const wanted = hash([join(root, 'package-lock.json')], (file) => readFileSync(file));
  if (isStamped(stamp, wanted)) return;
  console.log('Installing dependencies (a minute or two, once) …');
  // The build tools are development dependencies: they are needed with NODE_ENV=production too.
  await npm(['ci', '--include=dev', '--no-audit', '--no-fund']);
  writeFileSync(stamp, wanted);
}

/** Compiles the contract, which all others need, and then servers and web app at the same time. */
async function build() {
  const shared = ['package-lock.json', 'tsconfig.base.json', 'tsconfig.json'].map((name) => join(root, name));
  const contract = [...shared, ...filesOf('contract')];
  await step('contract', 'Compiling the contract …', contract, [distOf('contract')], () => tsc('contract'));
  await Promise.all([buildServers(shared, contract), buildWeb(contract)]);
}

async function buildServers(shared, contract) {
  const server = [...shared, ...serverSide.flatMap(filesOf)];
  await step('build', 'Compiling …', server, serverSide.map(distOf), () => tsc());
  const client = [...contract, ...filesOf('client')];
  const bundle = join(distOf('client'), 'lightbox.mjs');
  await step('client', 'Bundling the client …', client, [bundle], () => npm(['run', 'build', '-w', 'client']));
}

async function buildWeb(contract) {
  const web = [...contract, ...filesOf('frontend')];
  await step('web', 'Building the web app …', web, [distOf('frontend')], () => npm(['run', 'build', '-w', 'frontend']));
}

/** Runs `work` if the sources have changed since its last run, or a result is missing. */
async function step(name, title, sources, results, work) {
  const stamp = join(root, '.cache', `${name}.stamp`);
  const wanted = hash(sources, (file) => `${statSync(file).mtimeMs}:${statSync(file).size}`);
  if (isStamped(stamp, wanted) && results.every((folder) => existsSync(folder))) return;
  console.log(title);
  await work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

const distOf = (workspace) => join(root, workspace, 'dist');

/** Returns all files of a workspace that its build reads. */
function filesOf(workspace) {
  const made = new Set(['node_modules', 'dist', '.tsc']);
  const walk = (folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !made.has(entry.name) && !entry.name.endsWith('.tsbuildinfo'))
      .flatMap((entry) => (entry.isDirectory() ? walk(join(folder, entry.name)) : [join(folder, entry.name)]));
  return walk(join(root, workspace));
}

function hash(files, contentOf) {
  const sum = createHash('sha256').update(process.versions.modules);
  for (const file of files.sort()) sum.update(`${relative(root, file)}\0`).update(contentOf(file));
  return sum.digest('hex');
}

const isStamped = (stamp, wanted) => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;

/**
 * One checker for each workspace: several check the same types again, which takes two thirds more processor time. Workspaces
 * that do not need each other are still compiled at the same time.
 */
export const tsc = (...args) => node([join(root, 'node_modules/typescript/bin/tsc'), '-b', '--checkers', '1', ...args]);

/** Runs npm: the one that called this script, or the one on the PATH. */
export function npm(args) {
  const { npm_execpath } = process.env;
  if (npm_execpath?.endsWith('.js')) return node([npm_execpath, ...args]);
  return run('npm', args, process.platform === 'win32');
}

export const node = (args, env = {}) => run(process.execPath, args, false, env);

async function run(command, args, shell, env = {}) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell,
    env: { ...process.env, ...env },
    detached: hasGroups,
  });
  const status = await untilEnded(child);
  if (status !== 0) throw new StepError(`\`${command} ${args.join(' ')}\` failed${status ? `: ${status}` : ''}.`);
}

/**
 * Each program has a process group of its own. npm and tsc run further programs without forwarding a signal to them, and a
 * terminal sends Ctrl+C to its own group, so that the programs get it once: from here.
 */
const hasGroups = process.platform !== 'win32';
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const running = new Set();
let stoppedBy = null;

function stop(signal) {
  stoppedBy ??= signal;
  for (const child of running) {
    try {
      if (hasGroups) process.kill(-child.pid, signal);
      else child.kill(signal);
    } catch {
      // It has ended, and its `exit` comes.
    }
  }
}

/** Returns the exit status of a program. A signal that comes meanwhile goes to all that run, and ends this process after them. */
async function untilEnded(child) {
  if (running.size === 0) for (const signal of signals) process.on(signal, stop);
  running.add(child);
  const [status] = await once(child, 'exit').catch((error) => [error.message]);
  running.delete(child);
  if (running.size === 0) {
    for (const signal of signals) process.off(signal, stop);
    if (stoppedBy) process.exit(128 + constants.signals[stoppedBy]);
  }
  // The last of the others ends this process.
  return stoppedBy ? new Promise(() => undefined) : status;
}
