import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endChild } from '@lightbox/launcher/processes.js';

/** One of our programs as a child: it ends when this process does, however that comes about. */
export interface Program {
  child: ChildProcess;
  pid: number;
  /** What it said when it was ready. */
  ready: unknown;
  stop: () => Promise<void>;
}

const START_MS = 30_000;

/** `main` is a path from the root of the repository; `hear` gets the lines of its log. */
export async function startProgram(
  main: string,
  env: Record<string, string>,
  hear?: (line: string) => void,
): Promise<Program> {
  const file = fileURLToPath(new URL(`../../../${main}`, import.meta.url));
  const child = fork(file, [], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', hear ? 'pipe' : 'ignore', 'inherit', 'ipc'],
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
  const patience = AbortSignal.timeout(START_MS);
  const gone = once(child, 'exit', { signal: patience }).then(() =>
    Promise.reject(new Error(`${main} did not start.`)),
  );
  const [word] = (await Promise.race([once(child, 'message', { signal: patience }), gone])) as unknown[];
  gone.catch(() => undefined);
  return word;
}
