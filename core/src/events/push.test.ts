import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { connectRedis } from '../redis.js';
import { testConfig } from '../testing/config.js';
import { type Signal, Signals } from './push.js';

const open: Redis[] = [];
const log = pino({ level: 'silent' });
const cutOf = (id: string): Signal => ({ cut: { sessions: [id], reason: 'test' } });

function connect(url: string, kind: 'failFast' | 'patient'): Redis {
  const redis = connectRedis(url, kind);
  open.push(redis);
  return redis;
}

afterEach(() => {
  for (const redis of open.splice(0)) redis.disconnect();
});

it('a reader whose connection breaks before anything came misses nothing', async () => {
  const { redisUrl } = await testConfig();
  const [sending, receiving] = [connect(redisUrl, 'failFast'), connect(redisUrl, 'failFast')];
  const reader = connect(redisUrl, 'patient');
  await Promise.all([once(sending, 'ready'), once(receiving, 'ready'), once(reader, 'ready')]);
  const sender = new Signals(sending, log);
  const receiver = new Signals(receiving, log);
  const came: Signal[] = [];
  const arrived = new Promise<void>((resolve) => {
    receiver.listen(reader, (signal) => {
      came.push(signal);
      resolve();
    });
  });
  await sending.call('CLIENT', 'KILL', 'ID', await untilBlocked(sending));
  await sender.send([cutOf('a')]);
  await arrived;
  expect(came).toEqual([cutOf('a')]);
});

/** The connection that waits in XREAD. */
const blocked = (list: string): string | undefined => /^id=(\d+) .*cmd=xread/m.exec(list)?.[1];

async function untilBlocked(redis: Redis): Promise<string> {
  for (;;) {
    const id = blocked(String(await redis.call('CLIENT', 'LIST')));
    if (id) return id;
  }
}
