import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { compiled } from '../process/compiled.js';
import type { Answer, Task, Tasks } from './passwordThread.js';

/**
 * Two at a time: more are slower on two cores and take more memory. A call that finds the queue full is refused.
 */
const LANES = 2;
const QUEUE = 200;

const lanes = pLimit(LANES);
/** The threads that have nothing to do. A task that finds none starts one. */
const idle = new Set<Worker>();

export class PasswordQueueFull extends Error {}

/** Runs a task of `passwordThread.ts` in a thread of its own, apart from the pool that compresses answers and reads files. */
export async function argon2<N extends keyof Tasks>(
  name: N,
  ...given: Parameters<Tasks[N]>
): Promise<ReturnType<Tasks[N]>> {
  if (lanes.pendingCount >= QUEUE) throw new PasswordQueueFull();
  return (await lanes(() => run({ name, given }))) as ReturnType<Tasks[N]>;
}

function run(task: Task): Promise<unknown> {
  const [thread = start()] = idle;
  idle.delete(thread);
  return new Promise((resolve, reject) => {
    const lost = (reason: unknown) => reject(reason instanceof Error ? reason : new Error('A password thread ended.'));
    thread.once('error', lost).once('exit', lost);
    thread.once('message', (answer: Answer) => {
      thread.off('error', lost).off('exit', lost);
      // An idle thread must not keep the process from ending.
      thread.unref();
      idle.add(thread);
      if ('error' in answer) reject(answer.error);
      else resolve(answer.result);
    });
    thread.ref();
    thread.postMessage(task);
  });
}

function start(): Worker {
  const thread = new Worker(compiled('./passwordThread.js', import.meta.url), { env: {}, execArgv: [] });
  return thread.on('exit', () => idle.delete(thread));
}
