import { readFileSync } from 'node:fs';
import type { Core } from '@lightbox/core/core.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { expect, test, vi } from 'vitest';
import { buildImage } from '../testing/buildImage.js';
import { startWorker } from '../worker.js';

const picture = readFileSync(new URL('../../../backend/assets/demo/hand-xray.jpg', import.meta.url));

/** Returns a page with 8,000 finely dashed lines, which takes a minute to draw. */
function slowPdf(): Buffer {
  const stream = `[0.02 0.02] 0 d ${'0 0 m 600 600 l S '.repeat(8_000)}`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 600] /Contents 4 0 R >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ].map((body, index) => `${index + 1} 0 obj\n${body}\nendobj\n`);
  return Buffer.from(`%PDF-1.4\n${objects.join('')}trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n`);
}

/** Waits until `n` files are drawn or rejected, and returns their images in this order. */
async function drawn({ models }: Core, n: number): Promise<string[]> {
  const ids = async () =>
    (await models.Drawing.find({}, { _id: 1 }).sort({ $natural: 1 }).lean()).map(({ _id }) => String(_id));
  await vi.waitFor(async () => expect(await ids()).toHaveLength(n), { timeout: whenBusy(100_000), interval: 200 });
  return ids();
}

test('A file that a person waits for is drawn before the others that its owner has sent.', async () => {
  const config = await testConfig();
  const concurrency = { ...config.worker.concurrency, previews: 1 };
  const worker = await startWorker({ ...config, worker: { queues: [], concurrency } });
  const { core } = worker;
  let drawing: Awaited<ReturnType<typeof startWorker>> | undefined;
  try {
    await worker.ready;
    const owner = newId();
    const images: ImageDoc[] = [];
    for (let i = 0; i < 6; i++) {
      const createAt = new Date(core.clock.now().getTime() + i);
      images.push(await buildImage(core, picture, { preview: 'pending', owner, createAt }));
    }
    const jobs = images.map(({ _id }) => ({ name: 'renderPreview' as const, data: { imageId: String(_id) } }));
    await core.queues.add(jobs);
    await core.queues.add(jobs.slice(-1).map((job) => ({ ...job, awaited: true })));
    drawing = await startWorker({ ...config, worker: { queues: ['previews'], concurrency } });
    await drawing.ready;
    const [first, ...others] = images.map(({ _id }) => String(_id));
    expect(await drawn(core, images.length)).toEqual([first, others.at(-1), ...others.slice(0, -1)]);
  } finally {
    await drawing?.stop();
    await worker.stop();
  }
}, 1_200_000);

test('A file that takes too long is rejected at the first attempt, and the next file of its owner comes after those of others.', async () => {
  const config = await testConfig();
  const concurrency = { ...config.worker.concurrency, previews: 1 };
  const worker = await startWorker({ ...config, worker: { queues: ['previews'], concurrency } });
  try {
    await worker.ready;
    const { core } = worker;
    const pending = { preview: 'pending' as const };
    const draw = ({ _id }: ImageDoc) =>
      core.queues.add([{ name: 'renderPreview', data: { imageId: String(_id) }, id: `${_id}-preview` }]);
    const attacker = newId();
    const slow = await buildImage(core, slowPdf(), { ...pending, owner: attacker, contentType: 'application/pdf' });
    const next = await buildImage(core, picture, { ...pending, owner: attacker });
    const good = await buildImage(core, picture, pending);
    await draw(slow);
    // On a busy machine the others would come before it is taken, and the owner with fewer files goes first.
    await vi.waitFor(async () => expect(await core.queues.all.previews.getActiveCount()).toBe(1), {
      timeout: whenBusy(30_000),
    });
    for (const image of [next, good]) await draw(image);
    expect(await drawn(core, 3)).toEqual([slow, good, next].map(({ _id }) => String(_id)));
    expect((await core.models.Image.findById(slow._id).lean<ImageDoc>())?.preview).toBe('none');
    expect(await core.queues.all.previews.getFailedCount()).toBe(0);
  } finally {
    await worker.stop();
  }
}, 1_200_000);
