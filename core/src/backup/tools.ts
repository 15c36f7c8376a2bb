import { execFile, spawn } from 'node:child_process';
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { withoutValues } from '../process/log.js';
import { Refused } from '../process/refused.js';

const run = promisify(execFile);

const databaseTools = 'it is one of the MongoDB Database Tools of mongodb.com';
const sources = {
  mongodump: databaseTools,
  mongorestore: databaseTools,
  age: 'it is in the packages of most systems (apt install age, brew install age), and at age-encryption.org',
};
export type ToolName = keyof typeof sources;
export type Tools = Partial<Record<ToolName, string>>;

/** Programs of the project, beside the servers of `npm start`. */
const cache = join(import.meta.dirname, '../../../.cache/bin');

/** Returns the paths of programs. Throws when one is neither in `.cache/bin` nor on the path. */
export async function findTools(names: readonly ToolName[], path = process.env.PATH ?? ''): Promise<Tools> {
  const tools: Tools = {};
  for (const name of names) {
    const found = await firstThatWorks([cache, ...path.split(delimiter)].map((folder) => join(folder, name)));
    if (!found) throw new Refused(`\`${name}\` is not on the PATH: ${sources[name]}. Nothing was written.`);
    tools[name] = found;
  }
  return tools;
}

async function firstThatWorks(paths: string[]): Promise<string | null> {
  for (const path of paths) {
    const works = await access(path, constants.X_OK)
      .then(() => run(path, ['--version'], { timeout: 20_000 }))
      .then(() => true)
      .catch(() => false);
    if (works) return path;
  }
  return null;
}

export interface Running {
  input: Writable;
  output: Readable;
  /** Resolves when the program ended well. */
  ended: Promise<void>;
}

/** Starts a program. `onLine` gets what it says. An aborted signal ends it. */
export function startTool(
  tools: Tools,
  name: ToolName,
  args: readonly string[],
  signal: AbortSignal,
  onLine: (line: string) => void = () => undefined,
): Running {
  const path = tools[name];
  if (!path) throw new Error(`${name} was not looked for.`);
  const child = spawn(path, args, { stdio: ['pipe', 'pipe', 'pipe'], signal });
  let last = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    // mongorestore says the reason before its last line.
    if (line.trim() !== '' && !/\tFailed: /.test(last)) last = line;
    onLine(line);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      if (status === 0) resolve();
      else reject(new Refused(`${name} ended with status ${status}: ${sayable(last)}`));
    });
  });
  ended.catch(() => undefined);
  return { input: child.stdin, output: child.stdout, ended };
}

/** Without values of records and without the password of an address. */
const sayable = (line: string): string =>
  withoutValues(line)
    .replace(/\/\/[^@/\s]+@/g, '//')
    .slice(0, 500);

const CLOSED_BEFORE_THE_END = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Waits for all parts of a pipe. If one fails, its neighbours find their pipes closed: throws the error of the first part
 * that did not fail for this reason.
 */
export async function allOf(parts: readonly Promise<unknown>[]): Promise<void> {
  const errors = (await Promise.allSettled(parts)).flatMap((part) => (part.status === 'rejected' ? [part.reason] : []));
  const cause = errors.find(({ code }) => !CLOSED_BEFORE_THE_END.has(code)) ?? errors[0];
  if (cause) throw cause;
}

/** Runs `work` with a file that tells a tool the address of MongoDB: other people of the machine see its arguments. */
export async function withAddress<T>(uri: string, work: (option: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'lightbox-backup-'));
  try {
    const file = join(folder, 'address.yaml');
    await writeFile(file, `uri: ${JSON.stringify(uri)}\n`, { mode: 0o600 });
    return await work(`--config=${file}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the address of the whole server for the tools: without the database, which stays the one that knows the account.
 * With `caFile`, TLS trusts that CA.
 */
export function serverUri(uri: string, caFile = process.env.NODE_EXTRA_CA_CERTS): string {
  const [, scheme = '', hosts = '', database = '', query = ''] =
    /^(mongodb(?:\+srv)?:\/\/)([^/?]+)\/?([^?]*)\??(.*)$/.exec(uri) ?? [];
  const options = new URLSearchParams(query);
  if (hosts.includes('@') && database && !options.has('authSource')) options.set('authSource', database);
  const tls = scheme.includes('+srv') || options.get('tls') === 'true' || options.get('ssl') === 'true';
  if (tls && caFile && !options.has('tlsCAFile')) options.set('tlsCAFile', caFile);
  const said = options.toString();
  return `${scheme}${hosts}/${said ? `?${said}` : ''}`;
}
