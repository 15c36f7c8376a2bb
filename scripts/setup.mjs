// Prepares a clone to run: checks Node, installs the dependencies, builds. Steps that are up to date are skipped.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const serverSide = workspaces.filter((name) => name !== 'frontend');

/** The error of a failed step. The output of the step says the reason. */
export class StepError extends Error {}

export function setup() {
  checkNode();
  install();
  build();
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new StepError(
    `Lightbox needs Node 20.19 or newer. This is Node ${process.versions.node}. Download a newer one from https://nodejs.org (24 LTS is best).`,
  );
}

function install() {
  const stamp = join(root, 'node_modules/.lightbox-lock');
  const wanted = hash([join(root, 'package-lock.json')], (file) => readFileSync(file));
  if (isStamped(stamp, wanted)) return;
  console.log('Installing dependencies (a minute or two, once) …');
  // The build tools are development dependencies: they are needed with NODE_ENV=production too.
  npm(['ci', '--include=dev', '--no-audit', '--no-fund']);
  writeFileSync(stamp, wanted);
}

function build() {
  const shared = ['package-lock.json', 'tsconfig.base.json', 'tsconfig.json'].map((name) => join(root, name));
  const server = [...shared, ...serverSide.flatMap(filesOf)];
  step('build', 'Compiling …', server, serverSide.map(distOf), () => tsc());
  const client = [...shared, ...filesOf('contract'), ...filesOf('client')];
  const bundle = join(distOf('client'), 'lightbox.mjs');
  step('client', 'Bundling the client …', client, [bundle], () => npm(['run', 'build', '-w', 'client']));
  const web = [...shared, ...filesOf('contract'), ...filesOf('frontend')];
  step('web', 'Building the web app …', web, [distOf('frontend')], () => npm(['run', 'build', '-w', 'frontend']));
}

/** Runs `work` if the sources have changed since its last run, or a result is missing. */
function step(name, title, sources, results, work) {
  const stamp = join(root, '.cache', `${name}.stamp`);
  const wanted = hash(sources, (file) => `${statSync(file).mtimeMs}:${statSync(file).size}`);
  if (isStamped(stamp, wanted) && results.every((folder) => existsSync(folder))) return;
  console.log(title);
  work();
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
  if (npm_execpath?.endsWith('.js')) node([npm_execpath, ...args]);
  else run('npm', args, process.platform === 'win32');
}

export const node = (args, env = {}) => run(process.execPath, args, false, env);

function run(command, args, shell, env = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell,
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new StepError(`\`${command} ${args.join(' ')}\` failed${error ? `: ${error.message}` : ''}.`);
}
