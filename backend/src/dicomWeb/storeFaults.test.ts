import { phantom } from '@lightbox/testkit/part10.js';
import { expect, it } from 'vitest';
import { boundary, dicomWebOf, end, fresh, type Json, part, uidOf } from '../testing/dicomWeb.js';
import { buildProvider } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
const { tokenOf, store } = dicomWebOf({ test, api });

it('names what it stored before a fault of the request, and counts the rest as one failure', async () => {
  const owner = await buildProvider(test.gateway);
  const { token } = await tokenOf(owner);
  const tiny = part(Buffer.from('x'));
  const faults: [why: string, after: Buffer[], failures: number][] = [
    ['a hundred parts and more that are no files', [...Array<Buffer>(500).fill(tiny), end], 102],
    ['a part that does not end', [part(phantom({ study: fresh() })).subarray(0, 2_000)], 1],
    ['a header that never ends', [Buffer.from(`--${boundary}\r\nX-Long: ${'x'.repeat(2_000_000)}`)], 1],
  ];
  for (const [why, after, failures] of faults) {
    const study = fresh();
    const answer = await store(token, [part(phantom({ study })), ...after]);
    expect([answer.status, answer.type], why).toEqual([202, 'application/dicom+json']);
    expect(answer.body['00081199'].Value, why).toMatchObject([{ '00081155': { Value: [`${uidOf(study)}.1.1`] } }]);
    const others = answer.body['0008119A'].Value as Json[];
    expect(others, why).toHaveLength(failures);
    expect(others.at(-1)['00081197'].Value, why).toEqual([0xc000]);
  }
  expect(await test.gateway.models.Image.countDocuments({ owner: owner._id })).toBe(faults.length);
});
