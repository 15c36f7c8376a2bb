import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
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

/** Too much to be decoded, small to send: what is really there, what is only said, and what does not fit the rest. */
const hostile: [string, Buffer][] = [
  ['64 megapixels', png(8_000, 8_000)],
  ['a header of 100,000²', png(100_000, 100_000, undefined, 1)],
  ['a header of 7,000² over one line', png(7_000, 7_000, 2_000_000, 1)],
  ['a DICOM header of 60,000²', dicomPicture({ rows: 60_000, columns: 60_000 })],
];

/**
 * Milliseconds of processor time of the event loop's thread. Unlike the delay of a timer, they do not grow with the other work of
 * the machine.
 */
const used = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/** Returns the time that the event loop would need to decode the largest of these pictures. */
function toDecode(file: Buffer): number {
  const start = used();
  const at = file.indexOf('IDAT');
  inflateSync(file.subarray(at + 4, at + 4 + file.readUInt32BE(at - 4)));
  return used() - start;
}

it('The event loop decodes no picture that is too large or declares a false size, so other calls do not wait for it.', async () => {
  const api = new Client(test.url).as(await buildProvider(test.gateway));
  const most = toDecode(png(8_000, 8_000)) / 2;
  for (const [what, file] of hostile) {
    // A decoding would be in each round; the collection of what another test left is in one.
    const rounds: number[] = [];
    for (let round = 0; round < 3; round++) {
      const start = used();
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => api.upload(file)));
      for (const { status } of answers) expect(status, what).toBe(422);
      rounds.push((used() - start) / AT_ONCE);
    }
    expect(Math.min(...rounds), what).toBeLessThan(most);
  }
}, 180_000);
