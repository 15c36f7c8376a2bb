import { monitorEventLoopDelay } from 'node:perf_hooks';
import { dicomPicture } from '@lightbox/testkit/part10.js';
import { afterAll, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { Client } from '../testing/client.js';
import { buildProvider } from '../testing/factories.js';
import { png } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

const { test } = useGateway();
afterAll(closeInspectors);

const AT_ONCE = 8;
const MOST_MS = 200;
const ROUNDS = 8;

/** Too much to be decoded, small to send: what is really there, what is only said, and what does not fit the rest. */
const hostile: [string, Buffer][] = [
  ['64 megapixels', png(8_000, 8_000)],
  ['a header of 100,000²', png(100_000, 100_000, undefined, 1)],
  ['a header of 7,000² over one line', png(7_000, 7_000, 2_000_000, 1)],
  ['a DICOM header of 60,000²', dicomPicture({ rows: 60_000, columns: 60_000 })],
];

it('refusing pictures that are too large, or declare a false size, delays no other call by more than 200 ms', async () => {
  const api = new Client(test.url).as(await buildProvider(test.gateway));
  // The machine's other work is in the figure too: a quiet moment tells.
  let lag = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && lag >= MOST_MS; round++) {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    for (const [what, file] of hostile) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => api.upload(file)));
      for (const { status } of answers) expect(status, what).toBe(422);
    }
    delay.disable();
    lag = delay.max / 1e6;
  }
  expect(lag).toBeLessThan(MOST_MS);
}, 180_000);
