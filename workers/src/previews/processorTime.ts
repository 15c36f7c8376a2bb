import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds in which a thread ran, and in which it could have run but waited for a processor. */
interface Times {
  ran: number;
  waited: number;
}

/** By the id of the thread. */
export type TimesOfThreads = ReadonlyMap<string, Times>;

/**
 * Returns the times of all threads of a process and of those that it started. The kernel counts them, so a process that
 * a file has taken over cannot change them. Empty where the system does not tell.
 */
export function timesOf(pid: number): TimesOfThreads {
  const times = new Map<string, Times>();
  const add = (process: string): void => {
    for (const id of attempt(() => readdirSync(`/proc/${process}/task`)) ?? []) {
      const folder = `/proc/${process}/task/${id}`;
      // In nanoseconds the time that it ran and the time that it waited, and the number of times that it ran.
      const [ran, waited] = words(`${folder}/schedstat`).map(Number);
      if (ran !== undefined && waited !== undefined) times.set(id, { ran: ran / 1e6, waited: waited / 1e6 });
      for (const child of words(`${folder}/children`)) add(child);
    }
  };
  if (process.platform === 'linux') add(String(pid));
  return times;
}

/** Returns the sum of the times of the threads between two readings. */
export function timesBetween(before: TimesOfThreads, after: TimesOfThreads): Times {
  const sum = { ran: 0, waited: 0 };
  for (const [id, { ran, waited }] of after) {
    const { ran: ranBefore = 0, waited: waitedBefore = 0 } = before.get(id) ?? {};
    sum.ran += ran - ranBefore;
    sum.waited += waited - waitedBefore;
  }
  return sum;
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
