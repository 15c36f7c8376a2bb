import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisAddress } from '@lightbox/core/config/redisUrl.js';
import { kindOfMongo } from '@lightbox/core/db/kindOfMongo.js';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findMongod, findValkey } from './binaries.js';
import { mongodServer } from './mongod.js';
import { freePort, isPortFree } from './ports.js';
import { endChild } from './processes.js';
import { type EmbeddedServer, spawnServer, untilAnswers } from './server.js';
import { valkeyServer } from './valkey.js';

let folder: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lightbox-recovery-'));
});
afterAll(async () => {
  await Promise.all(children.map((child) => endChild(child, 10_000)));
  rmSync(folder, { recursive: true });
});

async function start(server: EmbeddedServer): Promise<ChildProcess> {
  const child = spawnServer(server);
  children.push(child);
  await untilAnswers(server, child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function withMongo<T>(uri: string, use: (things: mongoose.mongo.Collection) => Promise<T>): Promise<T> {
  const connection = await mongoose.createConnection(uri).asPromise();
  try {
    return await use(connection.collection('things') as unknown as mongoose.mongo.Collection);
  } finally {
    await connection.close();
  }
}

it('MongoDB keeps acknowledged writes through kill -9, also when its port has to change.', async () => {
  const binary = await findMongod(() => {});
  const first = mongodServer(binary, folder, await freePort(), 0.25);
  const child = await start(first);
  await withMongo(first.uri, (things) => things.insertOne({ kept: true }, { writeConcern: { w: 'majority' } }));
  await kill(child);
  const second = mongodServer(binary, folder, await freePort(), 0.25);
  await start(second);
  expect(await withMongo(second.uri, (things) => things.countDocuments({ kept: true }))).toBe(1);
  expect(await kindOfMongo(second.uri)).toBe('set');
});

it('Valkey keeps jobs through kill -9.', async () => {
  const server = valkeyServer(await findValkey(() => {}), folder, await freePort());
  const child = await start(server);
  const redis = new Redis(redisAddress(server.uri));
  await redis.rpush('jobs', 'one', 'two');
  redis.disconnect();
  await kill(child);
  await start(server);
  const again = new Redis(redisAddress(server.uri));
  expect(await again.lrange('jobs', 0, -1)).toEqual(['one', 'two']);
  again.disconnect();
});

it('The error of a server that does not start contains the end of its log.', async () => {
  const port = await freePort();
  const taken = valkeyServer(await findValkey(() => {}), join(folder, 'other'), port);
  await start(taken);
  expect(await isPortFree('127.0.0.1', port)).toBe(false);
  const second = valkeyServer(taken.command, join(folder, 'another'), port);
  await expect(
    untilAnswers({ ...second, answers: () => Promise.reject(new Error('not yet')) }, spawnServer(second)),
  ).rejects.toThrow(/Valkey did not start[\s\S]*[Aa]ddress already in use/);
});
