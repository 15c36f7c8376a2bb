import { afterAll, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { boundary, dicomWebOf, end, part } from '../testing/dicomWeb.js';
import { buildProvider } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
const { tokenOf, store } = dicomWebOf({ test, api });

afterAll(closeInspectors);

it('DICOMweb ends a request of a hundred thousand tiny parts, and one whose headers never end', async () => {
  const owner = await buildProvider(test.gateway);
  const { token } = await tokenOf(owner);
  const tiny = part(Buffer.from('x'));
  const many = await store(token, [...Array<Buffer>(100_000).fill(tiny), end]);
  expect([many.status, many.body.error]).toEqual([400, 'MALFORMED_UPLOAD']);
  const head = Buffer.from(`--${boundary}\r\n${'X: y\r\n'.repeat(500_000)}\r\n`);
  expect((await store(token, [head, Buffer.from('x\r\n'), end])).status).toBe(409);
  expect(await test.gateway.models.Image.countDocuments({ owner: owner._id })).toBe(0);
});
