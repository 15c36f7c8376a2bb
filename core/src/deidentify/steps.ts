import { setImmediate as turn } from 'node:timers/promises';

/** Work in small steps, one for each element. A header may have half a million of them. */
export type Steps<T> = Generator<undefined, T>;

/** Milliseconds after which other work of the process gets its turn. */
const SLICE_MS = 8;
/** Steps between two looks at the clock. */
const LOOK = 16;

/** Does the work in slices, so that a gateway answers other calls meanwhile. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  let since = performance.now();
  for (let count = 1; ; count++) {
    const { done, value } = steps.next();
    if (done) return value;
    if (count % LOOK !== 0 || performance.now() - since < SLICE_MS) continue;
    await turn();
    since = performance.now();
  }
}

/** Does the work at once, where it is short. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
