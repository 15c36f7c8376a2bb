import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@lightbox/core/config/config.js';
import { loadConfig } from '@lightbox/core/config/env.js';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { redisAddress } from '@lightbox/core/config/redisUrl.js';
import { Redis } from 'ioredis';
import { mongo } from 'mongoose';
import { expect, inject } from 'vitest';
import type {} from './globalSetup.js';

const worker = Number(process.env.VITEST_POOL_ID ?? 0);
/** The number of databases that the current test file uses. */
const taken = { file: '', count: 0 };

/**
 * Empties a database that no other test uses at the moment, and returns its address. Collections and indexes stay from test
 * file to test file, because creating them takes longer than most of these files.
 */
export async function emptyDatabase(): Promise<string> {
  const file = expect.getState().testPath ?? '';
  if (taken.file !== file) {
    await leftNothing(taken.file);
    Object.assign(taken, { file, count: 0 });
  }
  const uri = new URL(inject('servers').mongodbUri);
  uri.pathname = `/t_${worker}_${taken.count++}`;
  const client = new mongo.MongoClient(uri.href);
  const db = client.db();
  const collections = await db.collections();
  // Drops a database that was profiled.
  if (collections.some(({ collectionName }) => collectionName === 'system.profile')) {
    await db.command({ profile: 0 });
    await db.dropDatabase();
  } else
    await empty(
      db,
      collections.map(({ collectionName }) => collectionName),
    );
  await client.close();
  return uri.href;
}

/**
 * Returns the configuration of one test file: its own database, the emptied Redis database of its Vitest worker, new keys, a
 * folder, and port 0, so that the system chooses one.
 */
export async function testConfig(changes: Partial<Config> = {}): Promise<Config> {
  const { folder } = inject('servers');
  const config = loadConfig({
    MONGODB_URI: await emptyDatabase(),
    REDIS_URL: redisOf(),
    SMTP_URL: 'smtp://127.0.0.1:9',
    APP_KEYS: makeKeys(),
    ENCRYPTION_KEYS: makeKeys(),
    DATA_DIR: mkdtempSync(join(folder, 'data-')),
    LOG_LEVEL: 'silent',
  });
  await emptyRedis(config.redisUrl);
  return { ...config, port: 0, ...changes };
}

/** Deletes the documents of collections and their cached query plans, which fit only the old documents. */
async function empty(db: mongo.Db, collections: string[]): Promise<void> {
  const full = await db.aggregate<{ of: string }>(firstOf(collections)).toArray();
  await Promise.all(
    full.map(async ({ of }) => {
      await db.collection(of).deleteMany({});
      await db.command({ planCacheClear: of });
    }),
  );
}

/** One command that finds the collections with documents, because most have none. */
const firstOf = (collections: string[]): mongo.Document[] => [
  { $documents: [] },
  ...collections.map((coll) => ({
    $unionWith: { coll, pipeline: [{ $limit: 1 }, { $project: { _id: 0, of: { $literal: coll } } }] },
  })),
];

const redisOf = () => `${inject('servers').redisUrl}/${worker % 64}`;

/** Time for a worker that was stopped to be gone at Redis, milliseconds. */
const STOPPING_MS = 5_000;

/**
 * Fails when a test file left a worker running. The files of one Vitest worker share a Redis database, so it would take
 * the jobs of the next file, which would wait for them in vain.
 */
async function leftNothing(file: string): Promise<void> {
  const redis = new Redis(redisAddress(redisOf()));
  try {
    for (const end = Date.now() + STOPPING_MS; await waitsForJobs(redis); await sleep(50)) {
      if (Date.now() > end) throw new Error(`${file} left a worker running.`);
    }
  } finally {
    redis.disconnect();
  }
}

/** True while a connection to the database of this Vitest worker waits for a job, by the command of BullMQ’s workers. */
async function waitsForJobs(redis: Redis): Promise<boolean> {
  const list = (await redis.client('LIST')) as string;
  return list.split('\n').some((line) => line.includes(` db=${worker % 64} `) && line.includes(' cmd=bzpopmin '));
}

async function emptyRedis(redisUrl: string): Promise<void> {
  const redis = new Redis(redisAddress(redisUrl));
  await redis.flushdb();
  redis.disconnect();
}
