import { isAway } from './away.js';

/** Who has waited this long for a write that then finds a part away is told so too, instead of waiting for the next one, milliseconds. */
const TIMEOUT_MS = 5_000;

/**
 * Gathers what arrives while a write is under way and writes it together: under load many small durable writes become
 * few, and alone each goes at once. Every caller gets its own result.
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
        for (const { reject } of [...batch, ...(isAway(error) ? takeTired() : [])]) reject(error);
      }
    }
    writing = false;
  }

  function takeTired(): Waiting[] {
    const tired = ({ since }: Waiting) => Date.now() - since >= TIMEOUT_MS;
    const taken = queue.filter(tired);
    queue = queue.filter((waiting) => !tired(waiting));
    return taken;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, since: Date.now(), resolve, reject });
      if (!writing) queueMicrotask(() => !writing && drain());
    });
}
