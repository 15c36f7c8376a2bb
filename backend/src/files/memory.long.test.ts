import { deflateRawSync } from 'node:zlib';
import { collectGarbage } from '@lightbox/testkit/garbage.js';
import { dataSet, dicomPicture, partTen, syntaxes } from '@lightbox/testkit/part10.js';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createInspector } from './inspect.js';
import { closeInspectors } from './inspectionPool.js';

afterAll(closeInspectors);

test('deflated files are not kept in memory while they stream past', async () => {
  const set = dataSet(dicomPicture({ rows: 2000, columns: 2000 }));
  const bytes = partTen(deflateRawSync(set, { level: 0 }), syntaxes.deflated);
  const before = process.memoryUsage().arrayBuffers;
  const uploads = Array.from({ length: 20 }, () =>
    createInspector({ declaredType: undefined, filename: undefined, maxBytes: bytes.length }),
  );
  for (let at = 0; at < bytes.length; at += 65536) {
    for (const upload of uploads) upload.write(bytes.subarray(at, at + 65536));
    await new Promise(setImmediate);
  }
  const isSmall = () => process.memoryUsage().arrayBuffers - before < 4 * bytes.length;
  onTestFinished(collectGarbage());
  await expect.poll(isSmall).toBe(true);
  const all = await Promise.all(uploads.map((upload) => upload.finish()));
  expect(all.every(({ facts }) => facts.width === 2000)).toBe(true);
});
