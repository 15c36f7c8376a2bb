import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { deflateRawSync } from 'node:zlib';
import { collectGarbage } from '@lightbox/testkit/garbage.js';
import { element, partTen, syntaxes } from '@lightbox/testkit/part10.js';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { dicomWebOf, fresh, jsonOf, uidOf } from '../testing/dicomWeb.js';
import { buildProvider } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
const { tokenOf, ask, storeFiles } = dicomWebOf({ test, api });

afterAll(closeInspectors);

it('slow readers of a file that is small and unpacks to a large one take little memory of the gateway', async () => {
  const { token } = await tokenOf(await buildProvider(test.gateway));
  const study = uidOf(fresh());
  const [side, connections] = [5_000, 10];
  const size = side * side * 2;
  const elements = [
    element(0x00080016, 'UI', '1.2.840.10008.5.1.4.1.1.2'),
    element(0x00080018, 'UI', `${study}.1.1`),
    element(0x00080060, 'CS', 'CT'),
    element(0x0020000d, 'UI', study),
    element(0x0020000e, 'UI', `${study}.1`),
    element(0x00280002, 'US', 1),
    element(0x00280004, 'CS', 'MONOCHROME2'),
    element(0x00280010, 'US', side),
    element(0x00280011, 'US', side),
    element(0x00280100, 'US', 16),
    element(0x00280101, 'US', 16),
    element(0x00280102, 'US', 15),
    element(0x00280103, 'US', 0),
    element(0x7fe00010, 'OW', Buffer.alloc(size)),
  ];
  const file = partTen(deflateRawSync(Buffer.concat(elements)), syntaxes.deflated);
  expect((await storeFiles(token, [file])).status).toBe(200);
  const path = `/studies/${study}/series/${study}.1/instances/${study}.1.1`;
  const before = process.memoryUsage().arrayBuffers;
  onTestFinished(collectGarbage());
  // Each answer begins, and nobody reads on.
  const begun = await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      const headers = {
        Authorization: `Bearer ${token}`,
        Accept: 'multipart/related; type="application/octet-stream"',
      };
      const asked = request(`${test.url}/dicom-web${path}/${n % 2 === 0 ? 'frames/1,1,1' : 'bulkdata/7FE00010'}`, {
        headers,
      });
      asked.on('error', () => undefined).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      expect(Number(answer.headers['content-length'])).toBeLessThan(size + 1_000);
      await once(answer, 'readable');
      return asked;
    }),
  );
  await Promise.all(Array.from({ length: connections }, () => ask(token, `${path}/metadata`).then(jsonOf)));
  await expect.poll(() => process.memoryUsage().arrayBuffers - before).toBeLessThan(size);
  for (const asked of begun) asked.destroy();
});
