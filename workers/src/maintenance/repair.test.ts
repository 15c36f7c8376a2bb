import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { newDataKey } from '@lightbox/core/blobs/cipher.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import type { AnalysisDoc, ImageDoc } from '@lightbox/core/models/types.js';
import { testConfig } from '@lightbox/core/testing/config.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makePreview } from '../previews/makePreview.js';
import type { Pictures } from '../previews/preview.js';
import type { JobContext } from '../runner.js';
import { type RunningWorker, startWorker } from '../worker.js';
import { reviveAnalyses, revivePreviews } from './repair.js';

/** A worker that analyses and draws; when lost jobs are looked for is the test's to say. */
let worker: RunningWorker;
const picture = readFileSync(new URL('../../../core/assets/demo/hand-xray.jpg', import.meta.url));

beforeAll(async () => {
  const config = await testConfig();
  worker = await startWorker({ ...config, worker: { ...config.worker, queues: ['analysis', 'previews'] } });
  await worker.ready;
});
afterAll(() => worker?.stop());

/** An image that is there with its bytes, and of whose jobs there is no trace. */
async function buildImage(_id: ObjectId, changes: Partial<ImageDoc>): Promise<void> {
  const { core } = worker;
  const blob = newId();
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
    analysis: 'none',
    audience: [],
    isShared: false,
    createAt: core.clock.now(),
    ...changes,
  };
  await core.models.Image.create([image]);
}

/** An image whose analysis was asked for so many minutes ago, and whose job is nowhere. */
async function buildLost(minutes: number, changes: Partial<AnalysisDoc> = {}): Promise<ObjectId> {
  const { core } = worker;
  const _id = newId();
  await buildImage(_id, { analysis: 'queued' });
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

describe('a preview whose job was lost', () => {
  const uploaded = async (minutes: number): Promise<ObjectId> => {
    const id = newId(new Date(worker.core.clock.now().getTime() - minutes * 60_000));
    await buildImage(id, { preview: 'pending' });
    return id;
  };

  it('is drawn after ten minutes, and not asked for before', async () => {
    const [lost, young] = [await uploaded(11), await uploaded(9)];
    await Promise.all([revivePreviews(worker.core), revivePreviews(worker.core)]);
    await vi.waitFor(async () => {
      expect((await worker.core.models.Image.findById(lost).lean<ImageDoc>())?.preview).toBe('ready');
    }, 15_000);
    expect(await worker.core.queues.all.previews.getJob(`${young}-preview-again`)).toBeUndefined();
  });

  it('whose attempt ended before it told anybody is told by the next one, and not while Redis is away', async () => {
    const { core } = worker;
    const id = newId();
    await buildImage(id, { preview: 'ready' });
    const told = async () => {
      const entries = await core.redis.xrevrange('lightbox:signals', '+', '-', 'COUNT', 100);
      return entries.some(([, fields]) => fields.some((f) => f.includes('image:updated') && f.includes(String(id))));
    };
    const again = () => makePreview(core, {} as Pictures, String(id), {} as JobContext);
    core.redis.disconnect(true);
    await expect(again()).rejects.toThrow();
    await vi.waitFor(again, 5_000);
    expect(await told()).toBe(true);
  });
});
