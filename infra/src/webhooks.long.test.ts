import { Client } from '@lightbox/backend/testing/client.js';
import { buildProvider } from '@lightbox/backend/testing/factories.js';
import { buildGateway } from '@lightbox/backend/testing/gateway.js';
import { startWebhookReceiver } from '@lightbox/testkit/webhookReceiver.js';
import { expect, it } from 'vitest';
import { type RunningProcess, startProcess } from './testing.js';

it('A worker that is killed during a delivery loses none: the next one sends the same webhook-id.', async () => {
  const receiver = await startWebhookReceiver();
  const { gateway, config, url, stop } = await buildGateway({ webhookOrigins: [receiver.origin] });
  const started: RunningProcess[] = [];
  const start = async () => {
    const worker = await startProcess('workers', {
      MONGODB_URI: config.mongodbUri,
      REDIS_URL: config.redisUrl,
      SMTP_URL: config.smtpUrl,
      APP_KEYS: config.appKeys,
      ENCRYPTION_KEYS: config.encryptionKeys,
      DATA_DIR: config.dataDir,
      WEBHOOK_ORIGINS: receiver.origin,
      WORKER_QUEUES: 'webhooks',
      LOG_LEVEL: 'warn',
    });
    started.push(worker);
    return worker;
  };
  const person = await buildProvider(gateway);
  const api = new Client(url).as(person);
  try {
    const first = await start();
    const body = { url: `${receiver.origin}/x`, events: ['image.uploaded'] };
    const { id } = (await api.post('/webhooks', body).expect(201)).body.data;
    // The address never answers.
    receiver.answers.push(() => undefined);
    await api.post(`/webhooks/${id}/test`, {}).expect(201);
    await receiver.untilReceived(1);
    first.child.kill('SIGKILL');
    await first.ended;
    await start();
    await receiver.untilReceived(2);
    await expect
      .poll(async () => (await api.get(`/webhooks/${id}/deliveries`).expect(200)).body.data)
      .toMatchObject([{ state: 'delivered', tries: 1 }]);
    const [one, other] = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(other).toBe(one);
  } finally {
    await Promise.all(started.map((worker) => worker.stop()));
    await stop();
    await receiver.stop();
  }
  // A worker takes up the jobs of a killed one after two looks, five seconds apart.
});
