import type { Redis } from 'ioredis';
import type { Connection } from 'mongoose';
import { EventSigner } from './audit/signing.js';
import { watchLog } from './audit/watch.js';
import { type BlobStores, openBlobStores } from './blobs/stores.js';
import { Usage } from './blobs/usage.js';
import type { Config } from './config/config.js';
import { Clock } from './db/clock.js';
import { closeDatabase, createDatabase, openDatabase } from './db/connect.js';
import { DiskReserve } from './db/diskReserve.js';
import { Elections } from './db/elections.js';
import { Pages } from './db/page.js';
import { connectRedis } from './db/redis.js';
import { Events } from './events/events.js';
import { Signals } from './events/signals.js';
import { createKeys, type Keys } from './keys/keyring.js';
import { Pseudonyms } from './keys/pseudonyms.js';
import { refuseMissingKeys } from './keys/usage.js';
import { Metrics } from './metrics/metrics.js';
import { createModels, type Models } from './models/models.js';
import { prepareModels } from './models/prepare.js';
import { createLogger, type Logger, occasionally } from './process/log.js';
import { StartUp } from './process/startUp.js';
import { Queues } from './queues/queues.js';
import { Presence } from './realtime/presence.js';
import { Settings } from './settings/settings.js';
import { studyKeys } from './studies/studyKeys.js';

/** The parts that gateways and workers share: the configuration and everything that is connected to it. */
export interface Core {
  config: Config;
  log: Logger;
  /** Logs a warning that may occur many times a second while a dependency is away. */
  warn: (error: unknown, text: string) => void;
  clock: Clock;
  keys: Keys;
  /** Makes opaque names of UIDs. */
  pseudonyms: Pseudonyms;
  db: Connection;
  models: Models;
  redis: Redis;
  elections: Elections;
  blobs: BlobStores;
  diskReserve: DiskReserve;
  pages: Pages;
  settings: Settings;
  usage: Usage;
  /** True when there is a DICOM study with the key (`studies/joinStudy.ts`). */
  hasStudy: (key: string) => Promise<boolean>;
  signals: Signals;
  queues: Queues;
  events: Events;
  signer: EventSigner;
  /** The people with a connected tab in the foreground: they need no notification on a device. */
  foreground: Presence;
  metrics: Metrics;
  startUp: StartUp;
  close: () => Promise<void>;
}

const CLOCK_EVERY_MS = 10_000;
const AUDIT_EVERY_MS = 10_000;

/** For a command: resolves when everything is ready, and rejects when something is not there now. */
export async function createCore(config: Config, service: string): Promise<Core> {
  const core = assembleCore(config, service);
  try {
    await prepareCore(core);
    return core;
  } catch (error) {
    await core.close();
    throw error;
  }
}

/**
 * Connects to MongoDB, and creates missing collections and indexes. May be repeated. Does not wait for Redis:
 * hand-overs can happen later.
 */
export async function prepareCore({ config, db, models, keys, clock, warn }: Core): Promise<void> {
  await openDatabase(db, config);
  await prepareModels(models, warn);
  await refuseMissingKeys(models, keys);
  await readClock(db, clock);
}

/** Builds all parts without connecting them; `prepareCore` connects. */
export function assembleCore(config: Config, service: string, clock = new Clock()): Core {
  const log = createLogger(config, service);
  const warn = occasionally(log);
  const db = createDatabase();
  const models = createModels(db);
  const keys = createKeys(config);
  const startUp = new StartUp(warn);
  const timer = setInterval(
    () => readClock(db, clock).catch((error) => warn(error, 'the clock was not read')),
    CLOCK_EVERY_MS,
  );
  timer.unref();
  const signer = new EventSigner(models, keys.audit, warn);
  const auditWatch = setInterval(
    () => watchLog({ models, keys, log, signer }).catch((error) => warn(error, 'the audit log was not checked')),
    AUDIT_EVERY_MS,
  );
  auditWatch.unref();

  const redis = connectRedis(config.redisUrl, 'failFast');
  redis.on('error', (error) => warn(error, 'Redis is away; live updates and jobs wait'));
  // A connection of their own: BullMQ defines its scripts on it, and every pipeline would send them too.
  const queueRedis = connectRedis(config.redisUrl, 'failFast');
  const queues = new Queues(queueRedis, clock);
  const signals = new Signals(redis, log);
  const elections = new Elections(db);
  return {
    config,
    log,
    warn,
    clock,
    keys,
    pseudonyms: new Pseudonyms(models, keys.secrets),
    db,
    models,
    redis,
    elections,
    blobs: openBlobStores(db, config, elections),
    diskReserve: new DiskReserve(db, config),
    pages: new Pages(keys.cursors, models.Counter, clock),
    settings: new Settings(models),
    usage: new Usage(models, clock),
    hasStudy: studyKeys(models),
    signals,
    queues,
    foreground: new Presence(redis, 'foreground', clock),
    signer,
    events: new Events(db, models, queues, signals, clock, signer, warn),
    metrics: new Metrics(),
    startUp,
    close: async () => {
      startUp.stop();
      clearInterval(timer);
      clearInterval(auditWatch);
      await signer.close();
      await queues.close().catch(() => undefined);
      redis.disconnect();
      queueRedis.disconnect();
      await closeDatabase(db);
    },
  };
}

async function readClock(db: Connection, clock: Clock): Promise<void> {
  const before = performance.now();
  const hello = await db.db?.admin().command({ hello: 1 });
  if (hello?.localTime instanceof Date) clock.adjust(hello.localTime, before, performance.now());
}
