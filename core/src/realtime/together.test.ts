import { testConfig } from '@lightbox/testkit/config.js';
import type { Redis } from 'ioredis';
import { afterAll, expect, it } from 'vitest';
import type { Clock } from '../db/clock.js';
import { connectRedis } from '../db/redis.js';
import { type Note, Together } from './together.js';

const open: Redis[] = [];
const { redisUrl } = await testConfig();
function connect(): Redis {
  const redis = connectRedis(redisUrl, 'patient');
  open.push(redis);
  return redis;
}
afterAll(() => {
  for (const redis of open) redis.disconnect();
});

const gateway = (redis: Redis) => new Together(redis, { now: () => new Date() } as Clock, connect);
const imageId = 'c'.repeat(24);

it('A note that another version wrote is passed over, and the next one is heard.', async () => {
  const redis = connect();
  const [here, there] = [gateway(redis), gateway(connect())];
  const heard: Note[] = [];
  here.listen(imageId, (_, note) => heard.push(note));
  const key = `lightbox:together:${imageId}`;
  await expect.poll(() => redis.pubsub('NUMSUB', key)).toEqual([key, 1]);
  await redis.publish(key, 'no JSON');
  await redis.publish(key, JSON.stringify({ by: 'x', note: { name: 'view:dance', from: imageId } }));
  await redis.publish(key, 'null');
  const pointer: Note = { name: 'view:pointer', from: imageId, numbers: { frame: 1, x: 2.5, y: 3, draw: true } };
  there.tell(imageId, pointer);
  await expect.poll(() => heard).toEqual([pointer]);
  here.stop();
});
