import { type ParseArgsConfig, parseArgs } from 'node:util';
import { loadConfig } from '../config/env.js';
import { type Core, createCore } from '../core.js';
import { isAway } from '../db/away.js';
import { Refused } from './refused.js';

const statuses = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Returns the options and the other words of the command line. An option that is unknown, or lacks its value, refuses the
 * command, so that none is left out without a word. Words are refused too, unless the usage has `words`.
 */
export function readOptions<const T extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: T,
  { words = false }: { words?: boolean } = {},
): ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>> {
  try {
    return parseArgs({ options, allowPositionals: words as true });
  } catch (error) {
    const [fault] = (error as Error).message.split(/\. |\n/);
    throw new Refused(`${fault}.\nUsage: ${usage}`);
  }
}

/** Runs a command and ends the process: with 0 when the work returns true, else with 1. */
export async function runCommand(work: () => Promise<boolean>): Promise<never> {
  try {
    if (await work()) process.exit(0);
  } catch (error) {
    process.stderr.write(faultText(error as Error));
  }
  process.exit(1);
}

/**
 * Runs the work of a command that needs the database, with the configuration of the environment. `read` returns the options
 * before anything is connected.
 */
export const runWithCore = <T>(
  service: string,
  read: () => T,
  work: (core: Core, options: T) => Promise<boolean>,
): Promise<never> =>
  runCommand(async () => {
    const options = read();
    const core = await createCore(loadConfig(process.env), service);
    try {
      return await work(core, options);
    } finally {
      await core.close();
    }
  });

/**
 * Runs a command and ends the process with its status. SIGINT and SIGTERM abort the signal; then `stopped` says in words
 * what is left. A fault is the status 1.
 */
export async function runStoppable(stopped: string, work: (signal: AbortSignal) => Promise<boolean>): Promise<never> {
  const stop = new AbortController();
  let status = 1;
  for (const [name, ends] of Object.entries(statuses)) {
    // A terminal signals the shell of npm too, which passes it on: a second one must not cut the clearing up short.
    process.on(name, () => {
      status = ends;
      stop.abort();
    });
  }
  try {
    if (await work(stop.signal)) process.exit(0);
  } catch (error) {
    if (stop.signal.aborted) process.stderr.write(`${stopped}\n`);
    else process.stderr.write(faultText(error as Error));
  }
  process.exit(status);
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Faults of folders and files that a person named, such as one that belongs to another account. */
const OF_FILES = ['EACCES', 'EDQUOT', 'EISDIR', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS'];

/** Returns one sentence for a fault that people can mend, and the stack for a fault of the program. */
function faultText(error: NodeJS.ErrnoException): string {
  if (error instanceof Refused || error.name === 'ConfigError') return `\n${error.message}\n\n`;
  if (error.syscall && OF_FILES.includes(error.code ?? '')) return `${error.message}\n`;
  if (isAway(error)) return `A server that this command needs does not answer: ${error.message}\n`;
  return `${error.stack}\n`;
}
