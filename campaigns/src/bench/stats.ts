/** Returns the value that a fraction `p` (0 to 1) of all values does not exceed. */
export function percentile(values: number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)] ?? Number.NaN;
}

export const median = (values: number[]): number => percentile(values, 0.5);

/** Runs the contenders in turn, so that a busy machine slows all of them. Returns the figures of each, by round. */
export async function inTurn<N extends string>(
  rounds: number,
  contenders: Record<N, () => Promise<number>>,
): Promise<Record<N, number[]>> {
  const names = Object.keys(contenders) as N[];
  const figures = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<N, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) figures[name].push(await contenders[name]());
  }
  return figures;
}

/** Runs `work` `count` times, `width` at a time. Returns the seconds that it took. */
export async function inParallel(count: number, width: number, work: (i: number) => Promise<void>): Promise<number> {
  const start = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return (performance.now() - start) / 1000;
}
