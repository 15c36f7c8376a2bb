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

  async function drain(): Promise<void> {
    writing = true;
    while (queue.length > 0) {
      const batch = queue.slice(0, most);
      queue = queue.slice(most);
      try {
        const out = await write(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, i) => {
          resolve(out[i] as Out);
        });
      } catch (error) {
        for (const { reject } of [...batch, ...(isAway(error) ? takeOverdue() : [])]) reject(error);
      }
    }
    writing = false;
  }

  function takeOverdue(): Waiting[] {
    const overdue = ({ since }: Waiting) => Date.now() - since >= TIMEOUT_MS;
    const taken = queue.filter(overdue);
    queue = queue.filter((waiting) => !overdue(waiting));
    return taken;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, since: Date.now(), resolve, reject });
      if (writing || isDue) return;
      isDue = true;
      setImmediate(() => {
        isDue = false;
        if (!writing) drain();
      });
    });
}
