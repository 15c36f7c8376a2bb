import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endChild } from '@lightbox/launcher/processes.js';

/** One of the product's programs as a child process. It ends with this process, even when this one is killed. */
export interface Program {
  child: ChildProcess;
  pid: number;
  /** The message of the program when it was ready. */
  ready: unknown;
  stop: () => Promise<void>;
}

/** Long, for machines with other work. */
const START_MS = 300_000;

/** Returns the file of a path from the root of the repository. */
export const fileOf = (main: string): string =>
  isAbsolute(main) ? main : fileURLToPath(new URL(`../../../${main}`, import.meta.url));

/** Lets `collectedMemory` ask the process. */
const collecting = ['--expose-gc', '--import', fileOf('campaigns/dist/bench/collect.js')];

interface Options {
  /** Receives the lines of its log. */
  hear?: (line: string) => void;
  /** True for a process whose memory is read after a collection. */
  collects?: boolean;
}

/** Starts a program. `main` is a path from the root of the repository, or an absolute one of another clone. */
export async function startProgram(
  main: string,
  env: Record<string, string>,
  { hear, collects = false }: Options = {},
): Promise<Program> {
  const child = fork(fileOf(main), [], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', hear ? 'pipe' : 'ignore', 'inherit', 'ipc'],
    execArgv: collects ? collecting : [],
  });
  if (child.stdout && hear) createInterface(child.stdout).on('line', hear);
  const ready = await firstWord(child, main).catch(async (error) => {
    await endChild(child, 1_000);
    throw error;
  });
  return {
    child,
    pid: child.pid ?? 0,
    ready,
    stop: async () => {
      await endChild(child, 12_000);
    },
  };
}

async function firstWord(child: ChildProcess, main: string): Promise<unknown> {
  const timeout = AbortSignal.timeout(START_MS);
  const gone = once(child, 'exit', { signal: timeout }).then(() => Promise.reject(new Error(`${main} did not start.`)));
  const [word] = (await Promise.race([once(child, 'message', { signal: timeout }), gone])) as unknown[];
  gone.catch(() => undefined);
  return word;
}

/** Bytes of a process: resident, resident without V8's space for young objects, and in use by its objects and buffers. */
export interface Memory {
  rss: number;
  old: number;
  held: number;
}

/** Returns the memory of a program after a garbage collection. It was started with `collects`. */
export async function collectedMemory({ child }: Program): Promise<Memory> {
  const answered = once(child, 'message', { signal: AbortSignal.timeout(30_000) });
  child.send('memory');
  const [memory] = (await answered) as [Memory];
  return memory;
}

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** Returns the milliseconds of processor time that a process has used since its start. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
