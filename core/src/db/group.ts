import { isAway } from './away.js';

/**
 * A caller that has waited this long is rejected together with a write that finds its server away, instead of waiting
 * for the next write. Milliseconds.
 */
const TIMEOUT_MS = 5_000;

/**
 * Returns a function that gathers the items that arrive during a write, and writes them together. Under load many small
 * durable writes become few. A single item is written at once, with those of the calls that the process has received at the
 * same moment: without them it would be a write of its own, and they would wait for it. Every caller gets its own result.
 *
 * Under load the next write is on its way to the server before the callers of the last one go on. So the server works
 * while they do, and a group does not grow by the time that its own callers take.
 */
export function grouped<In, Out>(write: (items: In[]) => Promise<Out[]>, most = 500): (item: In) => Promise<Out> {
  interface Waiting {
    item: In;
    since: number;
    resolve: (out: Out) => void;
    reject: (error: unknown) => void;
  }
  let queue: Waiting[] = [];
  let writing = false;
  let isDue = false;
  /** Groups whose write has ended and whose callers have not been told. */
  let untold = 0;

  async function drain(): Promise<void> {
    writing = true;
    while (queue.length > 0) {
      const batch = queue.slice(0, most);
      queue = queue.slice(most);
      try {
        const out = await write(batch.map(({ item }) => item));
        tell(() => {
          batch.forEach(({ resolve }, i) => {
            resolve(out[i] as Out);
          });
        });
      } catch (error) {
        const refused = [...batch, ...(isAway(error) ? takeOverdue() : [])];
        tell(() => {
          for (const { reject } of refused) reject(error);
        });
      }
    }
    writing = false;
  }

  /** Tells callers the end of their write: after the next one was sent, if there is one, and in the order of the writes. */
  function tell(callers: () => void): void {
    if (queue.length === 0 && untold === 0) {
      callers();
      return;
    }
    untold += 1;
    setImmediate(() => {
      untold -= 1;
      callers();
    });
  }

  function takeOverdue(): Waiting[] {
    const overdue = ({ since }: Waiting) => performance.now() - since >= TIMEOUT_MS;
    const taken = queue.filter(overdue);
    queue = queue.filter((waiting) => !overdue(waiting));
    return taken;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, since: performance.now(), resolve, reject });
      if (writing || isDue) return;
      isDue = true;
      setImmediate(() => {
        isDue = false;
        if (!writing) drain();
      });
    });
}
