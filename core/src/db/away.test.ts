import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { testConfig } from '@lightbox/testkit/config.js';
import { mongo } from 'mongoose';
import { expect, it } from 'vitest';
import { isAway, isUnconfirmed } from './away.js';
import { connectDatabase } from './connect.js';
import { NotInTime } from './inTime.js';
import { connectRedis } from './redis.js';

it.each(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT'])('After %s a server counts as away.', (code) => {
  expect(isAway(Object.assign(new Error(`write ${code}`), { code, syscall: 'write' }))).toBe(true);
});

it.each(['EAI_AGAIN', 'ENOTFOUND'])('A server whose name is answered with %s counts as away.', (code) => {
  const error = new Error(`getaddrinfo ${code} db.invalid`);
  expect(isAway(Object.assign(error, { code, syscall: 'getaddrinfo' }))).toBe(true);
});

it('A fault of the program does not count as a server that is away.', () => {
  expect(isAway(new TypeError('Cannot read properties of undefined'))).toBe(false);
  expect(isAway(Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' }))).toBe(false);
  expect(isAway('write EPIPE')).toBe(false);
});

it('Every error of a command whose connection Redis closes counts as Redis being away.', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.resetAndDestroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redis = connectRedis(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`, 'failFast');
  try {
    for (let round = 0; round < 20; round++) {
      const fault = await redis.set('key', 'x'.repeat(100_000)).catch((error: unknown) => error);
      expect([String(fault), isAway(fault)]).toEqual([String(fault), true]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    redis.disconnect();
    server.close();
  }
});

it('Redis counts as away while it has too few replicas to write.', async () => {
  const redis = connectRedis((await testConfig()).redisUrl, 'patient');
  const answer = "return redis.error_reply('NOREPLICAS Not enough good replicas to write.')";
  try {
    const fault = await redis.eval(answer, 0).catch((error: unknown) => error);
    expect([String(fault), isAway(fault)]).toEqual([expect.stringContaining('NOREPLICAS'), true]);
  } finally {
    redis.disconnect();
  }
});

it('A list whose cursor a failover ended counts as MongoDB being away.', async () => {
  const db = await connectDatabase(await testConfig());
  const rows = db.collection('rows');
  try {
    await rows.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const cursor = rows.find({}, { batchSize: 1 });
    await cursor.next();
    await db.db?.command({ killCursors: 'rows', cursors: [cursor.id as mongo.Long] });
    const fault = await cursor.toArray().catch((error: unknown) => error);
    expect([String(fault), isAway(fault)]).toEqual([expect.stringMatching(/cursor id \d+ not found/), true]);
  } finally {
    await db.close();
  }
});

it.each([
  ['a wait for a majority that took too long', new mongo.MongoServerError({ code: 64 }), true],
  ['a transaction that took too long', new NotInTime(1), true],
  ['a commit without an answer', labelled(['UnknownTransactionCommitResult']), true],
  ['a write whose connection broke', labelled(['RetryableWriteError']), true],
  ['a transaction that was undone', labelled(['TransientTransactionError', 'RetryableWriteError']), false],
  ['a server that was never reached', new mongo.MongoNetworkError('connect ECONNREFUSED'), false],
])('After %s MongoDB counts as away, and it is known or not if the write was done.', (_, error, isOpen) => {
  expect([isAway(error), isUnconfirmed(error)]).toEqual([true, isOpen]);
});

function labelled(labels: string[]): mongo.MongoError {
  const error = new mongo.MongoNetworkError('connection closed');
  for (const label of labels) error.addErrorLabel(label);
  return error;
}
