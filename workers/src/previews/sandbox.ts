import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The ways to isolate a process: `bwrap` (bubblewrap), or `unshare` with the kernel's user namespaces. */
export const isolations = ['bwrap', 'namespaces'] as const;
export type Isolation = (typeof isolations)[number];

/** `command` returns the command line that runs Node with these arguments. Node may also read `files`. */
export interface Sandbox {
  isolation: Isolation | 'none';
  command: (args: string[], files: string[]) => [string, ...string[]];
  close: () => void;
}

const project = join(import.meta.dirname, '../../..');
/** The paths that a renderer may read. They include neither a data folder with keys nor a home folder. */
const readable = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib64', '/nix/store', process.execPath],
  ...['node_modules', 'package.json', 'contract', 'core', 'workers'].map((name) => join(project, name)),
];

const TRIAL_MS = 15_000;

/** No sandbox: the process has the user, the files and the network of the worker. */
const none: Sandbox = {
  isolation: 'none',
  command: (args) => [process.execPath, ...args],
  close: () => undefined,
};

/** Returns the best sandbox that works on this machine. Tries each of them. */
export async function findSandbox(candidates: readonly Isolation[] = isolations): Promise<Sandbox> {
  for (const isolation of process.platform === 'linux' ? candidates : []) {
    const sandbox = isolation === 'bwrap' ? bubblewrap() : namespaces();
    if (await works(sandbox)) return sandbox;
    sandbox.close();
  }
  return none;
}

/** Isolates with bubblewrap: no network, no other processes, and a read-only file system of the `readable` paths. */
function bubblewrap(): Sandbox {
  const binds = (files: string[]) => files.flatMap((file) => ['--ro-bind-try', file, file]);
  return {
    isolation: 'bwrap',
    command: (args, files) => [
      'bwrap',
      ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
      ...binds([...readable, ...files]),
      ...['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/'],
      ...['--', process.execPath, ...args],
    ],
    close: () => undefined,
  };
}

/**
 * Isolates in the same way with util-linux. Arguments: an empty folder, Node, the number of readable paths, these paths,
 * Node's arguments. Only this process sees the mounts, and they end with it. The shell stays the first process of its
 * namespace: the first process cannot be killed from inside, but a renderer that grows too large must kill itself.
 */
const script = `
set -eu
root=$1 node=$2 count=$3
shift 3
mount -t tmpfs -o mode=755,size=1m none "$root"
while [ "$count" -gt 0 ]; do
  path=$1 count=$((count - 1))
  shift
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

function namespaces(): Sandbox {
  const root = mkdtempSync(join(tmpdir(), 'lightbox-sandbox-'));
  return {
    isolation: 'namespaces',
    command: (args, files) => {
      const paths = [...readable, ...files];
      return [
        // When the worker dies, `--pdeathsig` kills unshare, and `--kill-child` kills the renderer.
        ...(['setpriv', '--pdeathsig', 'KILL', 'unshare', '--fork', '--kill-child'] as const),
        ...['--user', '--map-root-user', '--mount', '--pid', '--net', '--ipc', '--uts', '--propagation', 'private'],
        ...['/bin/sh', '-c', script, 'sandbox', root, process.execPath, String(paths.length), ...paths, ...args],
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
