import { readdirSync, readFileSync } from 'node:fs';

/** For how many milliseconds each thread could have run but waited for a processor. By the id of the thread. */
export type Waits = ReadonlyMap<string, number>;

/**
 * Returns the waits of all threads of a process and of those that it started. The kernel counts them, so a process that
 * a file has taken over cannot change them. Empty where the system does not tell.
 */
export function waitsOf(pid: number): Waits {
  const waits = new Map<string, number>();
  const add = (process: string): void => {
    for (const id of attempt(() => readdirSync(`/proc/${process}/task`)) ?? []) {
      const folder = `/proc/${process}/task/${id}`;
      // The time that it ran, the time that it waited, and the number of times that it ran.
      const [, nanoseconds] = words(`${folder}/schedstat`);
      if (nanoseconds) waits.set(id, Number(nanoseconds) / 1e6);
      for (const child of words(`${folder}/children`)) add(child);
    }
  };
  if (process.platform === 'linux') add(String(pid));
  return waits;
}

/** Returns the sum of what the threads waited between two readings. */
export function waitedBetween(before: Waits, after: Waits): number {
  let waited = 0;
  for (const [id, ms] of after) waited += ms - (before.get(id) ?? 0);
  return waited;
}

const words = (file: string): string[] =>
  (attempt(() => readFileSync(file, 'utf8')) ?? '').split(/\s+/).filter(Boolean);

/** A thread may end while it is read. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
