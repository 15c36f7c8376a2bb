import { once } from 'node:events';
import { testConfig } from '@lightbox/testkit/config.js';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
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
  vi.restoreAllMocks();
  for (const redis of open.splice(0)) redis.disconnect();
});

interface Heard {
  signals: Signal[];
  missed: number;
}

/** Makes a sender, and a reader on a connection of its own, with a stream of `length` entries. `rule` limits the reader. */
async function pair(length?: number, rule?: string) {
  const { redisUrl } = await testConfig();
  const readerUrl = rule ? await accountWith(redisUrl, rule) : redisUrl;
  const [sending, receiving] = [connect(redisUrl, 'failFast'), connect(redisUrl, 'failFast')];
  const reader = connect(readerUrl, 'patient');
  await Promise.all([once(sending, 'ready'), once(receiving, 'ready'), once(reader, 'ready')]);
  await reader.client('SETNAME', NAME);
  // For the connections after a disconnect.
  reader.options.connectionName = NAME;
  const heard: Heard = { signals: [], missed: 0 };
  new Signals(receiving, log).listen(reader, {
    deliver: (signal) => heard.signals.push(signal),
    missed: () => {
      heard.missed++;
    },
  });
  await untilBlocked(sending);
  // A machine that stood still for a second while the reader began makes it report a loss.
  heard.missed = 0;
  return { sender: new Signals(sending, log, length), redis: sending, reader, heard };
}

it('A reader whose connection breaks before the first signal misses nothing.', async () => {
  const { sender, redis, heard } = await pair();
  await redis.call('CLIENT', 'KILL', 'ID', await untilBlocked(redis));
  await sender.send([cutOf('a')]);
  await expect.poll(() => heard.signals).toEqual([cutOf('a')]);
  expect(heard.missed).toBe(0);
});

it('A reader passes over a signal of a kind that only a newer version knows.', async () => {
  const { sender, heard } = await pair();
  await sender.send([{ fax: { to: [] } } as never, cutOf('a')]);
  await expect.poll(() => heard.signals).toEqual([cutOf('a')]);
  expect(heard.missed).toBe(0);
});

it('A reader receives all of a burst that is larger than one read, and reports nothing as missed.', async () => {
  const { sender, redis, heard } = await pair();
  const sent = Array.from({ length: 3_000 }, (_, i) => cutOf(`${i}`));
  await Promise.all([sender.send(sent.slice(0, 1_500)), sender.send(sent.slice(1_500))]);
  await expect.poll(() => heard.signals.length).toBe(3_000);
  // After a disconnect the reader checks the stream.
  await redis.call('CLIENT', 'KILL', 'ID', await untilBlocked(redis));
  await sender.send([cutOf('after')]);
  await expect.poll(() => heard.signals.at(-1)).toEqual(cutOf('after'));
  expect(heard.signals).toHaveLength(3_001);
  expect(heard.missed).toBe(0);
});

it.each([
  ['', (reader: Redis) => reader],
  [', also on a Redis before 7.0, which does not count entries', withoutCounts],
])(
  'A reader that was away for longer than the stream reaches back reports it once, and reads the rest%s.',
  async (_, prepare) => {
    const { sender, redis, reader, heard } = await pair(100);
    prepare(reader);
    await sender.send([cutOf('before')]);
    await expect.poll(() => heard.signals).toEqual([cutOf('before')]);
    // It comes back only when the stream has been cut.
    reader.options.retryStrategy = () => null;
    const closed = once(reader, 'close');
    await redis.call('CLIENT', 'KILL', 'ID', await untilBlocked(redis));
    await closed;
    await sender.send(Array.from({ length: 1_000 }, (_, i) => cutOf(`${i}`)));
    connectAtNextCheck(reader);
    await expect.poll(() => heard.signals.at(-1)).toEqual(cutOf('999'));
    await sender.send([cutOf('after')]);
    await expect.poll(() => heard.signals.at(-1)).toEqual(cutOf('after'));
    expect(heard.signals.length).toBeLessThan(1_000);
    await expect.poll(() => heard.missed).toBe(1);
  },
);

it('A reader on a Redis before 7.0 misses nothing while it is away for a moment.', async () => {
  const { sender, redis, reader, heard } = await pair();
  withoutCounts(reader);
  await sender.send([cutOf('before')]);
  await redis.call('CLIENT', 'KILL', 'ID', await untilBlocked(redis));
  await sender.send([cutOf('after')]);
  await expect.poll(() => heard.signals).toEqual([cutOf('before'), cutOf('after')]);
  expect(heard.missed).toBe(0);
});

it.each([
  ['later', '*'],
  ['earlier (the clock stepped back)', '1-1'],
])(
  'A new stream whose ids are %s is read from its beginning, and the reader reports that it may have missed signals.',
  async (_, id) => {
    const { sender, redis, heard } = await pair();
    await sender.send([cutOf('a'), cutOf('b')]);
    await expect.poll(() => heard.signals).toHaveLength(2);
    await redis.flushdb();
    await redis.xadd('lightbox:signals', id, 'from', 'another', 'signal', JSON.stringify(cutOf('c')));
    await expect.poll(() => heard.signals.slice(2)).toEqual([cutOf('c')]);
    await expect.poll(() => heard.missed).toBe(1);
  },
);

it('A stream that begins again while signals flow without a pause counts as missed once, and is read on.', async () => {
  const { sender, redis, reader, heard } = await pair();
  await sender.send([cutOf('a'), cutOf('b')]);
  await expect.poll(() => heard.signals).toHaveLength(2);
  // Redis serves the waiting reader after the transaction: it never sees `lost`.
  const add = (id: string) =>
    ['lightbox:signals', '*', 'from', 'another', 'signal', JSON.stringify(cutOf(id))] as const;
  await redis
    .multi()
    .xadd(...add('lost'))
    .del('lightbox:signals')
    .xadd(...add('first'))
    .exec();
  const checks = vi.spyOn(reader, 'xinfo');
  let sent = 0;
  const flow = () => sender.send([cutOf(`${sent++}`)]);
  await expect.poll(() => flow().then(() => heard.missed)).toBe(1);
  const before = checks.mock.calls.length;
  await expect.poll(() => flow().then(() => checks.mock.calls.length)).toBeGreaterThan(before + 1);
  await expect.poll(() => heard.signals.at(-1)).toEqual(cutOf(`${sent - 1}`));
  expect(heard.signals).toContainEqual(cutOf('first'));
  expect(heard.missed).toBe(1);
});

it('A reader whose account may not use INFO receives signals, and reports nothing as missed.', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { sender, redis, reader, heard } = await pair(undefined, '-info');
  const checks = vi.spyOn(reader, 'xinfo');
  await redis.call('CLIENT', 'KILL', 'ID', await untilBlocked(redis));
  await sender.send([cutOf('a')]);
  await expect.poll(() => heard.signals).toEqual([cutOf('a')]);
  await expect.poll(() => checks.mock.calls.length).toBeGreaterThan(1);
  expect(heard.missed).toBe(0);
});

it('A deleted stream counts as missed once, and the first signal of the next stream is received.', async () => {
  const { sender, redis, heard } = await pair();
  await sender.send([cutOf('a')]);
  await redis.flushdb();
  await expect.poll(() => heard.missed).toBe(1);
  await sender.send([cutOf('b')]);
  await expect.poll(() => heard.signals).toEqual([cutOf('a'), cutOf('b')]);
  expect(heard.missed).toBe(1);
});

it('A signal without a waiting caller is sent when Redis is back.', async () => {
  const { sender, redis, heard } = await pair();
  redis.disconnect(true);
  sender.tell([cutOf('a')]);
  await expect(sender.send([cutOf('refused to its caller')])).rejects.toThrow();
  await expect.poll(() => heard.signals).toEqual([cutOf('a')]);
});

it('A signal without a waiting caller that Redis refused is sent when Redis takes it, without a reconnect.', async () => {
  const { redis, heard } = await pair();
  const { redisUrl } = await testConfig();
  const refused = connect(await accountWith(redisUrl, '-xadd'), 'failFast');
  await once(refused, 'ready');
  const reconnects = vi.fn();
  refused.on('ready', reconnects);
  const sender = new Signals(refused, log);
  sender.tell([cutOf('a')]);
  await expect(sender.send([cutOf('refused to its caller')])).rejects.toThrow();
  // The next try is refused too.
  const tries = vi.spyOn(refused, 'pipeline');
  await expect.poll(() => tries.mock.calls.length).toBeGreaterThan(0);
  await redis.call('ACL', 'SETUSER', NAME, '+xadd');
  await expect.poll(() => heard.signals).toEqual([cutOf('a')]);
  expect(reconnects).not.toHaveBeenCalled();
});

/** Makes an account that may do all but what `rule` takes away, and returns the address with its name. */
async function accountWith(redisUrl: string, rule: string): Promise<string> {
  const url = new URL(redisUrl);
  const admin = connectRedis(redisUrl, 'patient');
  await admin.call('ACL', 'SETUSER', NAME, 'reset', 'on', 'nopass', '~*', '&*', '+@all', rule);
  admin.disconnect();
  Object.assign(url, { username: NAME, password: 'any' });
  return url.href;
}

/** Connects the reader while it waits for the state of the stream, so that it is ready before it has the answer. */
function connectAtNextCheck(reader: Redis): void {
  const xinfo = reader.xinfo.bind(reader) as (...words: unknown[]) => Promise<unknown>;
  reader.xinfo = ((...words: unknown[]) => {
    reader.xinfo = xinfo as typeof reader.xinfo;
    void reader.connect();
    return xinfo(...words);
  }) as typeof reader.xinfo;
}

/** Makes XINFO STREAM answer as Redis 6 does. */
function withoutCounts(reader: Redis): void {
  const xinfo = reader.xinfo.bind(reader) as unknown as (...words: string[]) => Promise<unknown[]>;
  const later = ['entries-added', 'max-deleted-entry-id', 'recorded-first-entry-id'];
  reader.xinfo = (async (...words: string[]) =>
    (await xinfo(...words)).filter(
      (_, i, flat) => !later.includes(String(flat[i - (i % 2)])),
    )) as unknown as typeof reader.xinfo;
}

/** Returns the id of the reader's connection when it waits in XREAD. Other processes read on the same server. */
async function untilBlocked(redis: Redis): Promise<string> {
  const waiting = new RegExp(`^id=(\\d+) .*name=${NAME} .*cmd=xread`, 'm');
  for (;;) {
    const id = waiting.exec(String(await redis.call('CLIENT', 'LIST')))?.[1];
    if (id) return id;
  }
}
