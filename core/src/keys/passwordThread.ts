/**
 * Computes Argon2id for `argon2.ts`. A check takes a core for longer than most calls do, so this thread has a lower priority
 * than the one that answers calls.
 */
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type Algorithm, hashRawSync, hashSync, verifySync } from '@node-rs/argon2';

/** OWASP's minimum for Argon2id: 19 MiB, two passes, one lane. */
const options = { algorithm: 2 satisfies Algorithm, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

const tasks = {
  hash: (password: string): string => hashSync(password, options),
  digest: (password: string, salt: Uint8Array): Uint8Array => hashRawSync(password, { ...options, salt }),
  verify: (stored: string, password: string): boolean => verifySync(stored, password),
};

export type Tasks = typeof tasks;
export interface Task {
  name: keyof Tasks;
  given: Parameters<Tasks[Task['name']]>;
}
export type Answer = { result: ReturnType<Tasks[Task['name']]> } | { error: Error };

function answer({ name, given }: Task): Answer {
  try {
    return { result: (tasks[name] as (...args: unknown[]) => ReturnType<Tasks[Task['name']]>)(...given) };
  } catch (error) {
    return { error: error as Error };
  }
}

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

// Only Linux has a priority for each thread. Elsewhere this would be that of the whole process.
if (process.platform === 'linux') setPriority(0, Math.min(getPriority(0) + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
parentPort?.on('message', (task: Task) => parentPort?.postMessage(answer(task)));
