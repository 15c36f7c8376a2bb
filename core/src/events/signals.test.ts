import { once } from 'node:events';
import { testConfig } from '@lightbox/testkit/config.js';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { connectRedis } from '../db/redis.js';
import { type Signal, Signals } from './signals.js';

const NAME = `reader-${process.pid}`;
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

interface Heard {
  signals: Signal[];
  missed: number;
}

/** A sender, and a reader on a connection of its own; with a stream of `length`. */
async function pair(length?: number) {
  const { redisUrl } = await testConfig();
  const [sending, receiving] = [connect(redisUrl, 'failFast'), connect(redisUrl, 'failFast')];
  const reader = connect(redisUrl, 'patient');
  await Promise.all([once(sending, 'ready'), once(receiving, 'ready'), once(reader, 'ready')]);
  await reader.client('SETNAME', NAME);
  // For the connections that are made anew.
  reader.options.connectionName = NAME;
  const heard: Heard = { signals: [], missed: 0 };
  new Signals(receiving, log).listen(reader, {
    deliver: (signal) => heard.signals.push(signal),
    missed: () => {
      heard.missed++;
    },
  });
  return { sender: new Signals(sending, log, length), redis: sending, reader, heard };
}

it('a reader whose connection breaks before anything came misses nothing', async () => {
  const { sender, redis, heard } = await pair();
  await redis.call('CLIENT', 'KILL', 'ID', await untilBlocked(redis));
  await sender.send([cutOf('a')]);
  await expect.poll(() => heard.signals).toEqual([cutOf('a')]);
  expect(heard.missed).toBe(0);
});

it('a burst larger than a read is heard whole, and nothing of it is taken for missed', async () => {
  const { sender, redis, heard } = await pair();
  await untilBlocked(redis);
  const sent = Array.from({ length: 3_000 }, (_, i) => cutOf(`${i}`));
  await Promise.all([sender.send(sent.slice(0, 1_500)), sender.send(sent.slice(1_500))]);
  await expect.poll(() => heard.signals.length).toBe(3_000);
  // A connection made anew is a reason to look at the stream.
  await redis.call('CLIENT', 'KILL', 'ID', await untilBlocked(redis));
  await sender.send([cutOf('after')]);
  await expect.poll(() => heard.signals.at(-1)).toEqual(cutOf('after'));
  expect(heard.signals).toHaveLength(3_001);
  expect(heard.missed).toBe(0);
});

it.each([
  ['', (reader: Redis) => reader],
  [', also of a Redis before 7.0, which does not count', withoutCounts],
])(
  'a reader that was away for longer than the stream is kept says so once, and reads on with what is left%s',
  async (_, prepare) => {
    const { sender, redis, reader, heard } = await pair(100);
    prepare(reader);
    await untilBlocked(redis);
    await sender.send([cutOf('before')]);
    await expect.poll(() => heard.signals).toEqual([cutOf('before')]);
    reader.options.retryStrategy = () => 500;
    const closed = once(reader, 'close');
    await redis.call('CLIENT', 'KILL', 'ID', await untilBlocked(redis));
    await closed;
    await sender.send(Array.from({ length: 1_000 }, (_, i) => cutOf(`${i}`)));
    await expect.poll(() => heard.signals.at(-1), { timeout: 10_000 }).toEqual(cutOf('999'));
    await sender.send([cutOf('after')]);
    await expect.poll(() => heard.signals.at(-1)).toEqual(cutOf('after'));
    expect(heard.signals.length).toBeLessThan(1_000);
    await expect.poll(() => heard.missed).toBe(1);
  },
);

it('a reader of a Redis before 7.0 that was away for a moment misses nothing', async () => {
  const { sender, redis, reader, heard } = await pair();
  withoutCounts(reader);
  await untilBlocked(redis);
  await sender.send([cutOf('before')]);
  await redis.call('CLIENT', 'KILL', 'ID', await untilBlocked(redis));
  await sender.send([cutOf('after')]);
  await expect.poll(() => heard.signals, { timeout: 5_000 }).toEqual([cutOf('before'), cutOf('after')]);
  expect(heard.missed).toBe(0);
});

it.each([
  ['later', '*'],
  ['earlier, because the clock stepped back,', '1-1'],
])(
  'a stream that begins anew with %s ids is read from its beginning, and the reader says what it may have missed',
  async (_, id) => {
    const { sender, redis, heard } = await pair();
    await untilBlocked(redis);
    await sender.send([cutOf('a'), cutOf('b')]);
    await expect.poll(() => heard.signals).toHaveLength(2);
    await redis.flushdb();
    await redis.xadd('lightbox:signals', id, 'from', 'another', 'signal', JSON.stringify(cutOf('c')));
    await expect.poll(() => heard.signals.slice(2), { timeout: 5_000 }).toEqual([cutOf('c')]);
    await expect.poll(() => heard.missed, { timeout: 5_000 }).toBe(1);
  },
);

it('a stream that is gone counts as missed once, and the first signal of the next one is heard', async () => {
  const { sender, redis, heard } = await pair();
  await untilBlocked(redis);
  await sender.send([cutOf('a')]);
  await redis.flushdb();
  await expect.poll(() => heard.missed, { timeout: 5_000 }).toBe(1);
  await sender.send([cutOf('b')]);
  await expect.poll(() => heard.signals).toEqual([cutOf('a'), cutOf('b')]);
  expect(heard.missed).toBe(1);
});

it('what is told while Redis is away is sent when it is back', async () => {
  const { sender, redis, heard } = await pair();
  await untilBlocked(redis);
  redis.disconnect(true);
  sender.tell([cutOf('a')]);
  await expect(sender.send([cutOf('refused to its caller')])).rejects.toThrow();
  await expect.poll(() => heard.signals, { timeout: 5_000 }).toEqual([cutOf('a')]);
});

/** The answer of XINFO STREAM as Redis 6 gives it. */
function withoutCounts(reader: Redis): void {
  const xinfo = reader.xinfo.bind(reader) as unknown as (...words: string[]) => Promise<unknown[]>;
  const later = ['entries-added', 'max-deleted-entry-id', 'recorded-first-entry-id'];
  reader.xinfo = (async (...words: string[]) =>
    (await xinfo(...words)).filter(
      (_, i, flat) => !later.includes(String(flat[i - (i % 2)])),
    )) as unknown as typeof reader.xinfo;
}

/** The id of the reader's connection, as soon as it waits in XREAD. Other processes read on the same server. */
async function untilBlocked(redis: Redis): Promise<string> {
  const waiting = new RegExp(`^id=(\\d+) .*name=${NAME} .*cmd=xread`, 'm');
  for (;;) {
    const id = waiting.exec(String(await redis.call('CLIENT', 'LIST')))?.[1];
    if (id) return id;
  }
}
