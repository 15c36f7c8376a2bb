import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ConfigError, type Env } from '@lightbox/core/config/env.js';
import { ensureSecrets } from '@lightbox/core/config/secrets.js';
import { endAll, isRunning, markOf, type ProcessMark } from './processes.js';
import { ownKeys } from './settings.js';

/** The content of `instance.json` in the data folder: a running `npm start` describes itself for other processes. */
export interface Instance {
  url: string;
  launcher: ProcessMark;
  /** Settings that the launcher chose itself and that a joining process needs, but no key. */
  settings: Env;
  /** Names of settings whose value is in `secrets.json`. */
  secrets: string[];
  /** All started processes in the order in which they must end: gateway and workers, then servers. */
  processes: ProcessMark[];
}

const instanceFile = (dataDir: string): string => join(dataDir, 'instance.json');

/** Locks the data folder for this launcher, and ends the processes that a killed launcher left. */
export async function takeDataDir(dataDir: string, say: (line: string) => void): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  lock(dataDir);
  const left = readInstance(dataDir)?.processes.filter(isRunning) ?? [];
  if (left.length === 0) return;
  say(
    `The last run did not end properly. Stopping its remaining processes: ${left.map(({ name }) => name).join(', ')} …`,
  );
  for (const mark of left) await endAll([mark], 30_000);
}

/** Releases the data folder, if this launcher holds it. */
export function releaseDataDir(dataDir: string): void {
  const [last] = locks(dataDir);
  if (!last || !isOwn(last.holder)) return;
  rmSync(instanceFile(dataDir), { force: true });
  // The file stays: its number tells the next launcher which one it takes.
  writeFileSync(last.file, '');
}

const isOwn = (holder: ProcessMark | null): boolean =>
  holder !== null && isDeepStrictEqual(holder, markOf('launcher', process.pid));

interface Lock {
  file: string;
  number: number;
  /** Null once it was released. */
  holder: ProcessMark | null;
}

/** Returns all locks, the last one first: it is the one that counts. An earlier version has one lock without a number. */
function locks(dataDir: string): Lock[] {
  const found = readdirSync(dataDir).flatMap((name) => {
    const parts = /^launcher\.lock(?:\.(\d+))?$/.exec(name);
    const file = join(dataDir, name);
    return parts ? [{ file, number: Number(parts[1] ?? 0), holder: readJson<ProcessMark>(file) }] : [];
  });
  return found.sort((a, b) => b.number - a.number);
}

/**
 * Of several launchers that find the same lock without a holder, one makes the next number: the link fails for all others. The
 * last lock is never removed, so a launcher that was slow sees that its own is not the last one.
 */
function lock(dataDir: string): void {
  const draft = join(dataDir, `launcher.${process.pid}.new`);
  writeFileSync(draft, JSON.stringify(markOf('launcher', process.pid)), { mode: 0o600 });
  try {
    for (;;) {
      const [last, ...others] = locks(dataDir);
      if (last?.holder && isRunning(last.holder)) break;
      const number = (last?.number ?? 0) + 1;
      const file = join(dataDir, `launcher.lock.${number}`);
      try {
        linkSync(draft, file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        continue;
      }
      const isLast = locks(dataDir)[0]?.number === number;
      const useless = isLast ? [last, ...others] : [{ file }];
      for (const one of useless) if (one) rmSync(one.file, { force: true });
      if (isLast) return;
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const url = readInstance(dataDir)?.url;
  throw new ConfigError(
    `Lightbox already runs with the data folder ${dataDir}${url ? ` (${url})` : ''}. ` +
      'Stop it first, or start this one with another DATA_DIR and PORT.',
  );
}

export function writeInstance(dataDir: string, instance: Instance): void {
  const draft = `${instanceFile(dataDir)}.new`;
  writeFileSync(draft, `${JSON.stringify(instance, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, instanceFile(dataDir));
}

const AGAIN_MS = 5_000;

/**
 * Keeps `instance.json` up to date. On a full disk it cannot be written: everything that runs goes on, and it is written
 * when there is space.
 */
export class InstanceFile {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataDir: string,
    private readonly describe: () => Instance,
    private readonly say: (line: string) => void,
    private readonly againMs = AGAIN_MS,
  ) {}

  write(): void {
    const isFirst = !this.timer;
    this.stop();
    try {
      writeInstance(this.dataDir, this.describe());
    } catch (error) {
      if (isFirst) this.say(`instance.json cannot be written now (${(error as Error).message}); trying again.`);
      this.timer = setTimeout(() => this.write(), this.againMs);
    }
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

const readInstance = (dataDir: string): Instance | null => readJson<Instance>(instanceFile(dataDir));

/** Returns null when the file is incomplete or does not exist. */
function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return null;
  }
}

/**
 * Returns the settings with which another process joins the instance that runs on a data folder. The process's own settings
 * take precedence. If they name both databases, no instance needs to run here.
 */
export function joinEnv(env: Env, dataDir: string): Env {
  const instance = readInstance(dataDir);
  if (instance && isRunning(instance.launcher))
    return { ...instance.settings, ...secretsFor(instance, dataDir), ...filled(env) };
  if (env.NODE_ENV === 'production' || (env.MONGODB_URI && env.REDIS_URL)) return env;
  throw new ConfigError(
    `No Lightbox runs with the data folder ${dataDir}. Start it with \`npm start\`, or set MONGODB_URI and REDIS_URL.`,
  );
}

function secretsFor({ secrets }: Instance, dataDir: string): Env {
  if (secrets.length === 0) return {};
  const all: Env = ownKeys(ensureSecrets(dataDir));
  return Object.fromEntries(secrets.map((name) => [name, all[name]]));
}

const filled = (env: Env): Env => Object.fromEntries(Object.entries(env).filter(([, value]) => value));
