import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Env } from '@lightbox/core/config/env.js';

const root = join(import.meta.dirname, '../..');

export interface RunningProcess {
  child: ChildProcess;
  /** Resolves when it says that it serves; rejects when it ends instead. */
  ready: Promise<void>;
  /** Resolves when it has ended. */
  ended: Promise<void>;
  /** Everything it has printed. */
  output: () => string;
  stop: () => Promise<void>;
}

/** A compiled process of the product as it is run by `npm start`, that may still have to wait for what it needs. */
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

/** The same; resolves when it says that it serves. */
export async function startProcess(main: 'backend' | 'workers', env: Env): Promise<RunningProcess> {
  const started = spawnProcess(main, env);
  await started.ready;
  return started;
}
