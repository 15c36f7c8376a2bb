import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const INSIDE = 'LIGHTBOX_OWN_MOUNTS';
const unshare = ['--user', '--map-root-user', '--mount'];

const MB = 1024 * 1024;

/**
 * Runs this very command again where it may mount file systems of its own, which nobody else sees and which go with it;
 * its exit code. Null when that is where we are. Throws where the system lets nobody do so.
 */
export async function againWithMounts(): Promise<number | null> {
  if (process.env[INSIDE]) return null;
  if (spawnSync('unshare', [...unshare, 'true']).status !== 0) {
    throw new Error(
      'A small disk cannot be made here: `unshare --user --map-root-user --mount` is refused. It needs Linux, and ' +
        'user namespaces (kernel.unprivileged_userns_clone, user.max_user_namespaces).',
    );
  }
  const again = spawn('unshare', [...unshare, process.execPath, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  });
  process.on('SIGTERM', () => again.kill('SIGTERM'));
  // A terminal tells it by itself.
  process.on('SIGINT', () => undefined);
  return new Promise((resolve) => again.once('exit', (code) => resolve(code ?? 1)));
}

/** A file system in memory that holds so much and no more: what lies in it is really full when it is full. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'lightbox-disk-'));

  constructor(megabytes: number) {
    this.mount(`size=${megabytes}m`);
  }

  get freeMb(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return (bavail * bsize) / MB;
  }

  /** As when its owner buys a larger one. */
  grow = (megabytes: number): void => this.mount(`remount,size=${megabytes}m`);

  /** Something else takes all the room but so many megabytes. */
  fill(butMb = 0): void {
    const file = openSync(this.filler, 'a');
    try {
      for (const size of [MB, 4096]) {
        const chunk = Buffer.alloc(size);
        while (this.freeMb - size / MB >= butMb && writes(file, chunk));
      }
    } finally {
      closeSync(file);
    }
  }

  empty = (): void => rmSync(this.filler, { force: true });

  remove(): void {
    spawnSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get filler(): string {
    return join(this.folder, 'filler');
  }

  private mount(options: string): void {
    mkdirSync(this.folder, { recursive: true });
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'none', this.folder]);
    if (status !== 0) throw new Error(`A small disk was not mounted: ${stderr}`);
  }
}

function writes(file: number, chunk: Buffer): boolean {
  try {
    return writeSync(file, chunk) === chunk.length;
  } catch {
    return false;
  }
}
