import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A clone of an earlier version, with its own dependencies, compiled. */
export interface OlderVersion {
  commit: string;
  folder: string;
}

function run(command: string, args: string[], cwd: string): void {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`\`${command} ${args.join(' ')}\` failed in ${cwd}.`);
}

const git = (...args: string[]): string | null => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
};

/**
 * The release before this version: the newest tag before this commit. Without tags, the commit that
 * `campaigns/previousRelease` records.
 */
const previous = (): string =>
  git('describe', '--tags', '--abbrev=0', 'HEAD^') ??
  readFileSync(join(root, 'campaigns/previousRelease'), 'utf8').trim();

/** Makes the older version ready to run. The clone stays in `.cache`, so that a second rehearsal begins at once. */
export function prepareOlder(ref: string = previous()): OlderVersion {
  const commit = git('rev-parse', '--verify', `${ref}^{commit}`);
  if (!commit) throw new Error(`There is no version "${ref}" in this repository.`);
  const folder = join(root, '.cache/rehearsal', commit);
  const stamp = join(folder, '.cache/rehearsal.stamp');
  if (existsSync(stamp)) return { commit, folder };
  console.log(`Preparing the version ${commit.slice(0, 8)}: its dependencies and its build take some minutes, once …`);
  if (!existsSync(join(folder, '.git'))) {
    run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder], root);
  }
  run('git', ['checkout', '--quiet', '--force', commit], folder);
  const npm = process.env.npm_execpath;
  const install = ['ci', '--include=dev', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  if (npm?.endsWith('.js')) run(process.execPath, [npm, ...install], folder);
  else run('npm', install, folder);
  run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-b'], folder);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, '');
  return { commit, folder };
}
