import { buildGateway } from '@lightbox/backend/testing/gateway.js';
import { newId } from '@lightbox/core/db/ids.js';
import { expect, it } from 'vitest';
import { startProcess } from './testing.js';

const LINE = 'a sweep failed; trying again';

it('R56: An error in a worker’s timer is one line of its log, and the process continues.', async () => {
  const { gateway, config, stop } = await buildGateway();
  const worker = await startProcess('workers', {
    MONGODB_URI: config.mongodbUri,
    REDIS_URL: config.redisUrl,
    SMTP_URL: config.smtpUrl,
    APP_KEYS: config.appKeys,
    ENCRYPTION_KEYS: config.encryptionKeys,
    DATA_DIR: config.dataDir,
    WORKER_QUEUES: 'maintenance',
    LOG_LEVEL: 'warn',
  });
  try {
    // The product never writes such an event: its hand-over throws.
    const events = gateway.models.Event.collection;
    const at = new Date(Date.now() - 60_000);
    const event = { type: 'share.create', status: 'success', table: 'shares', at, pending: true, unaudited: false };
    const broken = newId();
    await events.insertOne({ ...event, _id: broken } as never);
    await expect.poll(worker.output).toContain(LINE);
    // The same timer also hands over the next event after the broken one.
    const whole = newId();
    await events.insertOne({ ...event, _id: whole, recipients: [], refs: {}, ip: '', reason: '' } as never);
    const pending = async () => (await events.findOne({ _id: whole }))?.pending;
    await expect.poll(pending).toBe(false);
    expect((await events.findOne({ _id: broken }))?.pending).toBe(true);
    expect(worker.child.exitCode).toBeNull();
    expect(worker.output().split(LINE)).toHaveLength(2);
  } finally {
    await worker.stop();
    await stop();
  }
});
