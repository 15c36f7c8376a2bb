import { afterEach, expect, test } from 'vitest';
import { InspectionPool } from './inspectionPool.js';

/** Answers, hangs, eats memory or dies, by what it is given. */
const hostile = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ header: [kind] }) => {
      if (kind === 1) for (;;);
      if (kind === 2) for (const all = []; ; ) all.push(new Array(1e5).fill({}));
      if (kind === 3) process.exit(1);
      if (kind === 4) throw 'a string';
      parentPort.postMessage({ header: { kind } });
    });
    parentPort.postMessage('ready');`)}`,
);
const pool = new InspectionPool(hostile, 2_000);
const fileOf = (kind: number) => ({ transferSyntax: '', header: Buffer.of(kind), pixels: null });
const run = (kind: number) => pool.run(fileOf(kind));

afterEach(() => pool.close());

test.each([
  ['runs for ever', 1],
  ['eats memory', 2],
  ['exits', 3],
  ['throws', 4],
])('a thread that %s costs one file and nothing else', async (_name, kind) => {
  const refused = { code: 'UNREADABLE_FILE', message: 'Not a readable DICOM file.' };
  const all = await Promise.allSettled([run(0), run(kind), run(kind), run(kind), run(0), run(0)]);
  expect(all.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  await expect(run(kind)).rejects.toMatchObject(refused);
  await expect(run(0)).resolves.toEqual({ kind: 0 });
});

test('a thread that starts slowly, as on a busy machine, refuses no file', async () => {
  const slow = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      parentPort.on('message', ({ header: [kind] }) => parentPort.postMessage({ header: { kind } }));
      parentPort.postMessage('ready');`)}`,
  );
  const starting = new InspectionPool(slow, 2_000);
  await expect(starting.run(fileOf(0))).resolves.toEqual({ kind: 0 });
  await starting.close();
});

test('closing the pool refuses the files that wait', async () => {
  const waiting = [run(1), run(1), run(0)];
  const settled = Promise.allSettled(waiting);
  await pool.close();
  expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
});
