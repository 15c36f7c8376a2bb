import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from '@lightbox/core/process/compiled.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { DicomSender, dataPdu, messageOf } from '@lightbox/testkit/dicomSender.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { afterAll, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { fresh } from '../testing/dicomWeb.js';
import { buildAdmin, buildProvider } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
const main = compiled('./main.js', import.meta.url);
let running: ChildProcess | undefined;

afterAll(async () => {
  running?.kill('SIGKILL');
  await closeInspectors();
});

/** Starts the process itself, as it runs in production, and returns when it stores. */
async function startProcess(port: number): Promise<ChildProcess> {
  const { mongodbUri, redisUrl, smtpUrl, appKeys, encryptionKeys, dataDir } = test.config;
  const child = spawn(process.execPath, [main.pathname], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      MONGODB_URI: mongodbUri,
      REDIS_URL: redisUrl,
      SMTP_URL: smtpUrl,
      APP_KEYS: appKeys,
      ENCRYPTION_KEYS: encryptionKeys,
      DATA_DIR: dataDir,
      DICOM_PORT: String(port),
      LOG_LEVEL: 'error',
    },
  });
  running = child;
  await once(child, 'message');
  return child;
}

it('A receiver that is killed shows nothing of a file, and stores once what its sender repeats.', async () => {
  const [owner, admin] = [await buildProvider(test.gateway), await buildAdmin(test.gateway)];
  const calling = 'CT1';
  await api.as(admin).post('/dicom-nodes', { title: calling, addresses: [], userId: owner.id }).expect(201);
  const images = () => test.gateway.models.Image.countDocuments({ owner: owner._id });
  const files = Array.from({ length: 6 }, () => phantom({ study: fresh(), frames: 60 }));
  const port = await freePort();
  const associated = async () => {
    const sender = await DicomSender.connect({ port, calling });
    expect(await sender.associate()).toBe('accepted');
    return sender;
  };

  for (const [round, file] of files.entries()) {
    const child = await startProcess(port);
    const sender = await associated();
    const message = messageOf(file);
    const { dataSet } = message;
    // The first time in the middle, then ever later around the commit.
    const end = round === 0 ? dataSet.length / 2 : dataSet.length;
    sender.begin(message);
    for (let at = 0; at < end; at += 60_000) {
      sender.socket.write(dataPdu(3, at + 60_000 >= dataSet.length ? 2 : 0, dataSet.subarray(at, at + 60_000)));
    }
    if (round > 0) await Promise.race([sender.reply(), new Promise((resolve) => setTimeout(resolve, round * 40))]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    if (round === 0) expect(await images()).toBe(0);
  }

  const child = await startProcess(port);
  const sender = await associated();
  for (const file of files) expect(await sender.store(file, { part: 60_000 })).toBe(0);
  expect(await images()).toBe(files.length);
  expect(await sender.release()).toBe(true);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
