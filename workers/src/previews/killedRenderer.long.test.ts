import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { compiled } from '@lightbox/core/process/compiled.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { expect, onTestFinished, test } from 'vitest';
import { buildImage } from '../testing/buildImage.js';
import { startWorker } from '../worker.js';

/** The real service, with a decoder that a file kills together with the service. It finds nothing to draw in the others. */
const service = (socket: string) => `
  import { startRenderService } from '${compiled('./service.js', import.meta.url).href}';
  const run = async (_name, bytes, _type, { onBegin }) => {
    onBegin?.();
    if (bytes.includes('DEADLY')) process.kill(process.pid, 'SIGKILL');
    return null;
  };
  await startRenderService(${JSON.stringify(socket)}, { run, close: async () => undefined }, console);`;

test('A file that kills the renderer service again and again ends as one without a preview, and other files are drawn.', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lightbox-renderer-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [socket, script] = [join(folder, 'renderer.sock'), join(folder, 'service.mjs')];
  await writeFile(script, service(socket));
  let [running, deaths]: [ChildProcess | null, number] = [null, 0];
  // As an engine of containers does it.
  const keepUp = () => {
    running = spawn(process.execPath, [script], { env: { PATH: process.env.PATH }, stdio: 'ignore' });
    running.once('exit', () => {
      deaths++;
      if (running) keepUp();
    });
  };
  keepUp();
  onTestFinished(async () => {
    const last = running as ChildProcess | null;
    running = null;
    if (!last) return;
    const ended = once(last, 'exit');
    last.kill('SIGKILL');
    await ended;
  });

  const config = await testConfig();
  const worker = await startWorker({
    ...config,
    rendererSocket: socket,
    worker: { ...config.worker, queues: ['previews'] },
  });
  onTestFinished(() => worker.stop());
  await worker.ready;
  const { core } = worker;
  const draw = async (text: string) => {
    const { _id } = await buildImage(core, Buffer.from(text), { preview: 'pending' });
    return { _id, job: await core.queues.all.previews.add('renderPreview', { imageId: String(_id) }, { attempts: 3 }) };
  };
  const [deadly, other] = [await draw('DEADLY'), await draw('harmless')];
  await eventually(async () => expect(await other.job.getState()).toBe('completed'));
  await eventually(async () => expect(await deadly.job.getState()).toBe('failed'));
  expect(await core.models.Image.findById(deadly._id).lean<ImageDoc>()).toMatchObject({ preview: 'none' });
  expect(deaths).toBe(4);
}, 180_000);
