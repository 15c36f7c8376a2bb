import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueueName } from '@lightbox/contract/queues.js';
import type { Config } from '@lightbox/core/config/config.js';
import type { Core } from '@lightbox/core/core.js';
import { newId } from '@lightbox/core/db/ids.js';
import { compiled } from '@lightbox/core/process/compiled.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { expect, onTestFinished, test } from 'vitest';
import { buildImage } from './testing/buildImage.js';
import { startWorker } from './worker.js';

const picture = readFileSync(new URL('../../backend/assets/demo/hand-xray.jpg', import.meta.url));

/** Resolves when a part outside of the worker has been asked. It never answers. */
async function silent(server: Server, place: string | number): Promise<{ asked: Promise<unknown[]>; port: number }> {
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  });
  const asked = once(server, 'connection');
  server.listen(place);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { asked, port: (server.address() as AddressInfo).port };
}

/** Stops a worker in the middle of the only attempt of a job, and returns the job. */
async function stopDuring(
  queue: QueueName,
  name: 'renderPreview' | 'analyseImage',
  { asked, ...changes }: Partial<Config> & { asked: Promise<unknown> },
  prepare: (core: Core) => Promise<string>,
) {
  const config = await testConfig();
  const watcher = await startWorker({ ...config, worker: { ...config.worker, queues: [] } });
  onTestFinished(() => watcher.stop());
  await watcher.ready;
  const worker = await startWorker({ ...config, ...changes, worker: { ...config.worker, queues: [queue] } });
  await worker.ready;
  const { core } = watcher;
  const imageId = await prepare(core);
  const added = await core.queues.all[queue].add(name, { imageId }, { attempts: 1 });
  await asked;
  await worker.stop();
  const job = await core.queues.all[queue].getJob(added.id as string);
  return { core, imageId, state: await job?.getState(), attempts: job?.attemptsMade };
}

test('A worker that stops while it draws a file puts the file off, and has spent no attempt.', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lightbox-stopping-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const rendererSocket = join(folder, 'renderer.sock');
  const { asked } = await silent(createServer(), rendererSocket);
  const stopped = await stopDuring('previews', 'renderPreview', { rendererSocket, asked }, async (core) =>
    String((await buildImage(core, picture, { preview: 'pending' }))._id),
  );
  expect(stopped).toMatchObject({ state: 'delayed', attempts: 0 });
  expect((await stopped.core.models.Image.findById(stopped.imageId).lean())?.preview).toBe('pending');
});

test('A worker that stops while a model analyses an image puts the analysis off, and has spent no attempt.', async () => {
  const { asked, port } = await silent(createHttpServer(), 0);
  const { ai } = await testConfig();
  const model = { ...ai, provider: 'openai', model: 'm', baseUrl: `http://127.0.0.1:${port}/v1` } as const;
  const stopped = await stopDuring('analysis', 'analyseImage', { ai: model, asked }, async (core) => {
    const { _id } = await buildImage(core, picture, { analysis: 'queued' });
    const startedAt = core.clock.now();
    await core.models.Analysis.create([
      { _id, status: 'queued', run: 1, progress: 0, requestedBy: newId(), startedAt },
    ]);
    return String(_id);
  });
  expect(stopped).toMatchObject({ state: 'delayed', attempts: 0 });
  expect((await stopped.core.models.Analysis.findById(stopped.imageId).lean())?.status).toBe('active');
});

/** Starts a worker as a process of its own, as it runs in production, and returns when it works. */
async function spawnWorker(
  { mongodbUri, redisUrl, smtpUrl, appKeys, encryptionKeys, dataDir }: Config,
  env: Record<string, string>,
): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [compiled('./main.js', import.meta.url).pathname], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...{ PATH: process.env.PATH, MONGODB_URI: mongodbUri, REDIS_URL: redisUrl, SMTP_URL: smtpUrl, APP_KEYS: appKeys },
      ...{ ENCRYPTION_KEYS: encryptionKeys, DATA_DIR: dataDir, BLOB_STORE: 'gridfs', LOG_LEVEL: 'error', ...env },
    },
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  await once(worker, 'message');
  return worker;
}

test('An analysis whose worker is killed again and again ends as failed after the fourth death, and its people are told.', async () => {
  const config = await testConfig();
  const watcher = await startWorker({ ...config, worker: { ...config.worker, queues: [] } });
  onTestFinished(() => watcher.stop());
  await watcher.ready;
  const { core } = watcher;
  const folder = await mkdtemp(join(tmpdir(), 'lightbox-killed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const socket = join(folder, 'renderer.sock');
  const renderer = createServer();
  await silent(renderer, socket);
  let asked = 0;
  renderer.on('connection', () => asked++);
  const env = { WORKER_QUEUES: 'analysis', RENDERER_SOCKET: socket };
  const { _id, owner } = await buildImage(core, picture, { analysis: 'queued' });
  const startedAt = core.clock.now();
  await core.models.Analysis.create([{ _id, status: 'queued', run: 1, progress: 0, requestedBy: owner, startedAt }]);
  const job = await core.queues.all.analysis.add('analyseImage', { imageId: String(_id) }, { attempts: 3 });
  for (let deaths = 1; deaths <= 4; deaths++) {
    const worker = await spawnWorker(config, env);
    await eventually(() => expect(asked).toBe(deaths));
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
  }
  await spawnWorker(config, env);
  await eventually(async () => expect(await job.getState()).toBe('failed'));
  expect((await core.queues.all.analysis.getJob(String(job.id)))?.failedReason).toMatch(/ended during it too often/);
  expect(await core.models.Analysis.findById(_id).lean()).toMatchObject({ status: 'failed', reasonCode: 'UNFORESEEN' });
  expect((await core.models.Event.findOne({ type: 'analysis.fail', record: _id }).lean())?.recipients).toContainEqual(
    owner,
  );
  expect(asked).toBe(4);
}, 180_000);
