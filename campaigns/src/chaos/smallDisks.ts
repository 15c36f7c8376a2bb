import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const INSIDE = 'LIGHTBOX_OWN_MOUNTS';
const unshare = ['--user', '--map-root-user', '--mount'];

const MB = 1024 * 1024;

/**
 * Runs this command again in a namespace in which it may mount file systems, which no other process sees and which end with
 * it. Resolves to its exit code, or to null when this process is already inside. Throws when the system forbids namespaces.
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
  // A terminal signals the child directly.
  process.on('SIGINT', () => undefined);
  return new Promise((resolve) => again.once('exit', (code) => resolve(code ?? 1)));
}

/** A file system in memory with a fixed size, so that a disk can really be full. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'lightbox-disk-'));

  constructor(megabytes: number) {
    this.mount(`size=${megabytes}m`);
  }

  get freeMb(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return (bavail * bsize) / MB;
  }

  /** Makes the disk larger, as when its owner replaces it. */
  grow = (megabytes: number): void => this.mount(`remount,size=${megabytes}m`);

  /** Fills the disk with another file, and leaves `butMb` megabytes free. */
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
