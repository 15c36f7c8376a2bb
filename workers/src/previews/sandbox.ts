import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** The ways to isolate a process: `bwrap` (bubblewrap), or `unshare` with the kernel's user namespaces. */
export const isolations = ['bwrap', 'namespaces'] as const;
export type Isolation = (typeof isolations)[number];

/** `command` returns the command line that runs Node with these arguments. Node may also read `files`. */
export interface Sandbox {
  isolation: Isolation | 'none';
  command: (args: string[], files: string[]) => [string, ...string[]];
  close: () => void;
}

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/nix/store'];
const project = join(import.meta.dirname, '../../..');
const product = [
  process.execPath,
  ...['node_modules', 'package.json', 'contract', 'core', 'workers'].map((name) => join(project, name)),
];

export interface Places {
  /** The folder with the keys of an instance. */
  dataDir?: string;
  /** Folders of the system besides the usual ones. */
  system?: readonly string[];
}

const systemOf = ({ system = [] }: Places): string[] => [...systemFolders, ...system];

/** `bind` shows a path of the machine, for reading. `hide` lays an empty folder over one, and `seal` ends writing there. */
type Step = ['bind' | 'hide' | 'seal', path: string];

/**
 * Returns the steps that make the files of a sandbox. They show neither a home folder nor the folders that hold keys and
 * `.env`: these are hidden where they lie below one that is shown, such as a clone in `/usr/local`.
 */
function stepsOf(places: Places, files: readonly string[]): Step[] {
  const { dataDir } = places;
  const system = systemOf(places);
  const bind = (path: string): Step => ['bind', path];
  const existing = [project, ...(dataDir ? [dataDir] : [])].filter(existsSync);
  const secret = [...new Set(existing.map((path) => realpathSync(path)))];
  const hiddenIn = (shown: readonly string[]) => {
    const below = secret.filter((path) => shown.some((folder) => isWithin(path, folder)));
    return below.filter((path) => !below.some((outer) => outer !== path && isWithin(path, outer)));
  };
  const [inSystem, inProduct] = [hiddenIn(system), hiddenIn(product)];
  return [
    ...system.map(bind),
    ...inSystem.map((path): Step => ['hide', path]),
    ...product.map(bind),
    ...inProduct.map((path): Step => ['hide', path]),
    ...files.map(bind),
    ...[...inSystem, ...inProduct].map((path): Step => ['seal', path]),
  ];
}

const isWithin = (path: string, folder: string): boolean =>
  existsSync(folder) && !relative(realpathSync(folder), path).startsWith('..');

const TRIAL_MS = 15_000;

/** No sandbox: the process has the user, the files and the network of the worker. */
const none: Sandbox = {
  isolation: 'none',
  command: (args) => [process.execPath, ...args],
  close: () => undefined,
};

/** Returns the best sandbox that works on this machine. Tries each of them. */
export async function findSandbox(
  candidates: readonly Isolation[] = isolations,
  places: Places = {},
): Promise<Sandbox> {
  for (const isolation of process.platform === 'linux' ? candidates : []) {
    const sandbox = isolation === 'bwrap' ? bubblewrap(places) : namespaces(places);
    if (await works(sandbox)) return sandbox;
    sandbox.close();
  }
  return none;
}

/** Isolates with bubblewrap: no network, no other processes, and a read-only file system of `stepsOf`. */
function bubblewrap(places: Places): Sandbox {
  // `bwrap` binds what a link leads to. As a second way to the same files it would show what is hidden on the first.
  const isLink = (path: string) =>
    systemOf(places).includes(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  const options = {
    bind: (path: string) => (isLink(path) ? ['--symlink', readlinkSync(path), path] : ['--ro-bind-try', path, path]),
    hide: (path: string) => ['--tmpfs', path],
    seal: (path: string) => ['--remount-ro', path],
  };
  return {
    isolation: 'bwrap',
    command: (args, files) => [
      'bwrap',
      ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
      ...stepsOf(places, files).flatMap(([step, path]) => options[step](path)),
      ...['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/'],
      ...['--', process.execPath, ...args],
    ],
    close: () => undefined,
  };
}

/**
 * Isolates in the same way with util-linux. Arguments: an empty folder, Node, the number of steps, the steps,
 * Node's arguments. Only this process sees the mounts, and they end with it. The shell stays the first process of its
 * namespace: the first process cannot be killed from inside, but a renderer that grows too large must kill itself.
 */
const script = `
set -eu
root=$1 node=$2 count=$3
shift 3
mount -t tmpfs -o mode=755,size=1m none "$root"
while [ "$count" -gt 0 ]; do
  step=$1 path=$2 count=$((count - 1))
  shift 2
  case $step in
    hide) mount -t tmpfs -o mode=755,size=1m none "$root$path"; continue ;;
    seal) mount -o remount,bind,ro "$root$path"; continue ;;
  esac
  if [ ! -e "$path" ] || [ -e "$root$path" ]; then continue; fi
  mkdir -p "$root\${path%/*}"
  if [ -L "$path" ]; then ln -s "$(readlink "$path")" "$root$path"; continue; fi
  if [ -d "$path" ]; then mkdir "$root$path"; else : > "$root$path"; fi
  mount --rbind "$path" "$root$path"
  mount -o remount,bind,ro "$root$path"
done
mkdir "$root/proc" "$root/dev"
for device in null zero random urandom; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t proc -o nosuid,nodev,noexec none "$root/proc"
mount -o remount,bind,ro "$root"
cd "$root"
chroot "$root" setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$node" "$@"
exit $?
`;

function namespaces(places: Places): Sandbox {
  const root = mkdtempSync(join(tmpdir(), 'lightbox-sandbox-'));
  return {
    isolation: 'namespaces',
    command: (args, files) => {
      const steps = stepsOf(places, files);
      return [
        // When the worker dies, `--pdeathsig` kills unshare, and `--kill-child` kills the renderer.
        ...(['setpriv', '--pdeathsig', 'KILL', 'unshare', '--fork', '--kill-child'] as const),
        ...['--user', '--map-root-user', '--mount', '--pid', '--net', '--ipc', '--uts', '--propagation', 'private'],
        ...['/bin/sh', '-c', script, 'sandbox', root, process.execPath, String(steps.length), ...steps.flat(), ...args],
      ];
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

function works(sandbox: Sandbox): Promise<boolean> {
  const [command, ...args] = sandbox.command(['--version'], []);
  return new Promise((resolve) => {
    const trial = spawn(command, args, { env: sandboxEnv, stdio: 'ignore', timeout: TRIAL_MS, killSignal: 'SIGKILL' });
    trial.once('error', () => resolve(false));
    trial.once('exit', (code) => resolve(code === 0));
  });
}

/** Contains nothing of the worker's environment, because that holds keys. */
export const sandboxEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
