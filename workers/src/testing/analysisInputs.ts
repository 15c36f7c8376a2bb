import { fileURLToPath } from 'node:url';
import { createInspector } from '@lightbox/backend/files/inspect.js';
import { element, imageModule, partTen, picture } from '@lightbox/testkit/part10.js';
import { type Mock, vi } from 'vitest';
import type { AnalysisInput, AnalysisRun } from '../analysis/providers/provider.js';
import type { Pictures } from '../previews/preview.js';

export async function inputOf(bytes: Buffer): Promise<AnalysisInput> {
  const inspector = createInspector({ declaredType: undefined, filename: undefined, maxBytes: 1e8 });
  inspector.write(bytes);
  const { facts } = await inspector.finish();
  return { imageId: '1'.repeat(24), contentType: facts.contentType, bytes, facts };
}

interface Watched extends AnalysisRun {
  onProgress: Mock<(percent: number) => void>;
  takeCall: Mock<() => Promise<void>>;
}

/** A run whose progress and calls a test can look at. */
export function runWith(pictures: Pictures, signal?: AnalysisRun['signal']): Watched {
  const takeCall = vi.fn(async () => undefined);
  return { signal: signal ?? new AbortController().signal, onProgress: vi.fn(), pictures, takeCall };
}

/** Returns a grey ramp with some texture and a patient's name, as a CT of a chest. */
export function ct(...more: Buffer[]): Buffer {
  const shape = picture({ rows: 300, columns: 300 });
  const pixels = Buffer.alloc(180_000);
  for (let i = 0; i < 90_000; i++) pixels.writeUInt16LE((i % 300) * 8 + ((i * 7919) % 97) * 9, i * 2);
  const named = element(0x00100010, 'PN', 'Secret^Person');
  const rescale = Buffer.concat([element(0x00281052, 'DS', '-1024'), element(0x00281053, 'DS', '1'), ...more]);
  const extra = Buffer.concat([
    named,
    element(0x00180015, 'CS', 'CHEST'),
    element(0x00180050, 'DS', '2.5'),
    element(0x00200060, 'CS', 'L'),
  ]);
  return partTen(Buffer.concat([imageModule(shape, extra), rescale, element(0x7fe00010, 'OW', pixels)]));
}

export const pdf = (): AnalysisInput => ({
  imageId: '1',
  contentType: 'application/pdf',
  bytes: Buffer.alloc(9),
  facts: {},
});

/** A classifier whose numbers are known: see classifier.py. */
export const classifierModel = fileURLToPath(new URL('classifier.onnx', import.meta.url));

/** The same with its weights in a file of their own, as many exporters write it. */
export const classifierInParts = fileURLToPath(new URL('classifierInParts.onnx', import.meta.url));

/** Its description. `more` replaces parts of it. */
export const classifierLabels = (more: object = {}): object => ({
  name: 'Bright or dark',
  version: '7',
  labels: ['Bright', 'Dark'],
  input: { width: 32, height: 32, channels: 1, mean: [0.5], std: [0.5] },
  output: { name: 'logits', activation: 'sigmoid', heatMap: 'maps' },
  madeFor: { modalities: ['CT'], bodyParts: ['CHEST'], pictures: true },
  ...more,
});
