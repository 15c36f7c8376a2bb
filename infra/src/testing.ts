import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Env } from '@lightbox/core/config/env.js';

const root = join(import.meta.dirname, '../..');

export interface RunningProcess {
  child: ChildProcess;
  /** Everything it has printed. */
  output: () => string;
  stop: () => Promise<void>;
}

/** A compiled process of the product as it is run by `npm start`; resolves when it says that it serves. */
export async function startProcess(main: 'backend' | 'workers', env: Env): Promise<RunningProcess> {
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
  const ended = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new Error(`${main} ended at its start: ${said}`);
    }),
  ]);
  return {
    child,
    output: () => said,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}
