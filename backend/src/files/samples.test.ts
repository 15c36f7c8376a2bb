import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { createInspector } from './inspect.js';
import { closeInspectors } from './inspectionPool.js';

afterAll(closeInspectors);

test.each([
  ['chest-ct.dcm', 'application/dicom', { modality: 'CT', bodyPart: 'CHEST', rows: 512, columns: 512, frames: 1 }],
  ['chest-xray.jpg', 'image/jpeg', undefined],
  ['hand-xray.jpg', 'image/jpeg', undefined],
  ['liver-ultrasound.png', 'image/png', undefined],
  ['report.pdf', 'application/pdf', undefined],
])('the sample %s is accepted as an upload', async (filename, contentType, dicom) => {
  const bytes = readFileSync(new URL(`../../assets/demo/${filename}`, import.meta.url));
  expect(bytes.length).toBeLessThan(600 * 1024);
  const inspector = createInspector({ declaredType: contentType, filename, maxBytes: 10 * 1024 * 1024 });
  inspector.write(bytes);
  const { facts } = await inspector.finish();
  expect(facts.contentType).toBe(contentType);
  if (dicom) expect(facts.dicom).toMatchObject(dicom);
});
