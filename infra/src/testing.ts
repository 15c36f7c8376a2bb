import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Env } from '@lightbox/core/config/env.js';

const root = join(import.meta.dirname, '../..');

export interface RunningProcess {
  child: ChildProcess;
  /** Resolves when the process reports that it is ready, and rejects when it ends before. */
  ready: Promise<void>;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
  /** Returns the whole output of the process. */
  output: () => string;
  stop: () => Promise<void>;
}

/** Starts a compiled process of the product like `npm start`. It may still wait for its servers. */
export function spawnProcess(main: 'backend' | 'workers', env: Env): RunningProcess {
  const child = spawn(process.execPath, [join(root, main, 'dist/main.js')], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part) => {
      said += part;
    });
  }
  const ended = once(child, 'close').then(() => undefined);
  const ready = Promise.race([
    once(child, 'message').then(() => undefined),
    ended.then(() => {
      throw new Error(`${main} ended at its start: ${said}`);
    }),
  ]);
  ready.catch(() => undefined);
  return {
    child,
    ready,
    ended,
    output: () => said,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Starts a process and resolves when it is ready. */
export async function startProcess(main: 'backend' | 'workers', env: Env): Promise<RunningProcess> {
  const started = spawnProcess(main, env);
  await started.ready;
  return started;
}
