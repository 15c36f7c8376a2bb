import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { newDataKey } from '@lightbox/core/blobs/cipher.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import type { AnalysisDoc, ImageDoc } from '@lightbox/core/models/types.js';
import { testConfig } from '@lightbox/core/testing/config.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningWorker, startWorker } from '../worker.js';
import { reviveAnalyses } from './repair.js';

/** A worker that analyses; when lost jobs are looked for is the test's to say. */
let worker: RunningWorker;
const picture = readFileSync(new URL('../../../core/assets/demo/hand-xray.jpg', import.meta.url));

beforeAll(async () => {
  const config = await testConfig();
  worker = await startWorker({ ...config, worker: { ...config.worker, queues: ['analysis'] } });
});
afterAll(() => worker?.stop());

/** An image whose analysis was asked for so many minutes ago, and whose job is nowhere. */
async function buildLost(minutes: number, changes: Partial<AnalysisDoc> = {}): Promise<ObjectId> {
  const { core } = worker;
  const [_id, blob] = [newId(), newId()];
  const { key, wrapped } = newDataKey(core.keys.images, String(_id));
  await core.blobs.write(
    blob,
    key,
    (async function* () {
      yield picture;
    })(),
  );
  const image: ImageDoc = {
    _id,
    owner: newId(),
    caption: 'A hand',
    contentType: 'image/jpeg',
    size: picture.length,
    sha256: randomBytes(32).toString('hex'),
    blob,
    dataKey: wrapped,
    preview: 'none',
    analysis: 'queued',
    audience: [],
    isShared: false,
    createAt: core.clock.now(),
  };
  await core.models.Image.create([image]);
  const startedAt = new Date(core.clock.now().getTime() - minutes * 60_000);
  await core.models.Analysis.create([
    { _id, status: 'queued', progress: 0, run: 1, requestedBy: newId(), startedAt, ...changes },
  ]);
  return _id;
}

const analysisOf = (id: ObjectId) => worker.core.models.Analysis.findById(id).lean<AnalysisDoc>();
const completions = (id: ObjectId) =>
  worker.core.models.Event.countDocuments({ type: 'analysis.complete', record: id });

describe('an analysis whose job was lost', () => {
  it.each(['queued', 'active'] as const)(
    'while it was %s starts again after ten minutes, and completes once',
    async (status) => {
      const id = await buildLost(11, { status });
      await Promise.all([reviveAnalyses(worker.core), reviveAnalyses(worker.core)]);
      await vi.waitFor(async () => expect(await analysisOf(id)).toMatchObject({ status: 'completed', run: 2 }), 15_000);
      await reviveAnalyses(worker.core);
      expect(await analysisOf(id)).toMatchObject({ status: 'completed', run: 2 });
      expect(await completions(id)).toBe(1);
    },
  );

  it('is left alone before that, and when it has come to an end', async () => {
    const young = await buildLost(9);
    const ended = [await buildLost(60, { status: 'completed' }), await buildLost(60, { status: 'failed' })];
    await reviveAnalyses(worker.core);
    expect(await analysisOf(young)).toMatchObject({ status: 'queued', run: 1 });
    for (const id of ended) expect(await analysisOf(id)).toMatchObject({ run: 1 });
    expect(await worker.core.queues.all.analysis.getJob(`${young}-2-analysis`)).toBeUndefined();
  });
});
