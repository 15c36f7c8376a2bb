import type { Redis } from 'ioredis';
import type { Connection } from 'mongoose';
import { type BlobStore, GridFsBlobStore } from './blobs/store.js';
import { Usage } from './blobs/usage.js';
import { Clock } from './clock.js';
import type { Config } from './config/config.js';
import { connectDatabase } from './db/connect.js';
import { Pages } from './db/page.js';
import { Room } from './db/room.js';
import { Events } from './events/events.js';
import { Signals } from './events/push.js';
import { createKeys, type Keys } from './keys/keyring.js';
import { refuseMissingKeys } from './keys/usage.js';
import { createLogger, type Logger, occasionally } from './log.js';
import { createModels, type Models, prepareModels } from './models/models.js';
import { Presence } from './presence.js';
import { Queues } from './queues/queues.js';
import { connectRedis } from './redis.js';
import { Settings } from './settings/settings.js';

/** What gateways and workers share: the configuration and everything that is connected to it. */
export interface Core {
  config: Config;
  log: Logger;
  /** For what may go wrong many times a second while a dependency is away. */
  warn: (error: unknown, text: string) => void;
  clock: Clock;
  keys: Keys;
  db: Connection;
  models: Models;
  redis: Redis;
  blobs: BlobStore;
  room: Room;
  pages: Pages;
  settings: Settings;
  usage: Usage;
  signals: Signals;
  queues: Queues;
  events: Events;
  /** Who looks at a tab that is connected: needs no notification on a device. */
  looking: Presence;
  close: () => Promise<void>;
}

const CLOCK_EVERY_MS = 10_000;

/** Waits for MongoDB, not for Redis: while that is away reads and writes are served and hand-overs are put off. */
export async function createCore(config: Config, service: string, clock = new Clock()): Promise<Core> {
  const log = createLogger(config, service);
  const warn = occasionally(log);
  const db = await connectDatabase(config);
  const models = createModels(db);
  await prepareModels(models);
  const keys = createKeys(config);
  await refuseMissingKeys(models, keys);
  await readClock(db, clock);
  const timer = setInterval(() => readClock(db, clock).catch(() => undefined), CLOCK_EVERY_MS);
  timer.unref();

  const redis = connectRedis(config.redisUrl, 'failFast');
  // A connection of their own: BullMQ defines its scripts on it, and every pipeline would carry them along.
  const queueRedis = connectRedis(config.redisUrl, 'failFast');
  const queues = new Queues(queueRedis);
  const signals = new Signals(redis, log);
  return {
    config,
    log,
    warn,
    clock,
    keys,
    db,
    models,
    redis,
    blobs: new GridFsBlobStore(db),
    room: new Room(db, config),
    pages: new Pages(keys.cursors, models.Counter, clock),
    settings: new Settings(models),
    usage: new Usage(models, clock),
    signals,
    queues,
    looking: new Presence(redis, 'looking'),
    events: new Events(db, models, queues, signals, clock, warn),
    close: async () => {
      clearInterval(timer);
      await queues.close().catch(() => undefined);
      redis.disconnect();
      queueRedis.disconnect();
      await db.close();
    },
  };
}

async function readClock(db: Connection, clock: Clock): Promise<void> {
  const before = Date.now();
  const hello = await db.db?.admin().command({ hello: 1 });
  if (hello?.localTime instanceof Date) clock.adjust(hello.localTime, before, Date.now());
}
