import mongoose, { type Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import { ConfigError } from '../config/env.js';
import { isAway } from './away.js';
import { kindOfMongo, noReplicaSetMessage } from './kindOfMongo.js';
import { MAJORITY_MS } from './majority.js';

/**
 * Writes are acknowledged by a majority, and reads see what a majority has, unless a caller says otherwise. So every
 * answer, mail or act that follows from a read survives a failover. Exceptions: `newest.ts`.
 */
const options = {
  writeConcern: { w: 'majority', wtimeoutMS: MAJORITY_MS },
  readConcern: { level: 'majority' },
  autoIndex: false,
  autoCreate: false,
} as const;

/** Options in MONGODB_URI override these. */
const defaults = {
  serverSelectionTimeoutMS: 5_000,
  // The driver's heartbeat notices within seven seconds that a network drops everything, and ends the commands that
  // wait for an answer. It does not end a slow query on a server that is alive.
  heartbeatFrequencyMS: 2_000,
  connectTimeoutMS: 5_000,
  waitQueueTimeoutMS: 10_000,
  socketTimeoutMS: 60_000,
  maxPoolSize: 30,
};

function defaultsFor(uri: string): Partial<typeof defaults> {
  const said = new Set([...uri.matchAll(/[?&]([^=&]+)=/g)].map(([, name]) => name?.toLowerCase()));
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !said.has(name.toLowerCase())));
}

/**
 * Returns a connection that is not open yet. Models can be made on it; a command before `openDatabase` fails at once.
 */
export function createDatabase(): Connection {
  const db = mongoose.createConnection();
  db.set('bufferCommands', false);
  return db;
}

/** Tries once, for at most five seconds. Throws a ConfigError when only a change of MONGODB_URI can help. */
export async function openDatabase(db: Connection, { mongodbUri }: Pick<Config, 'mongodbUri'>): Promise<void> {
  try {
    await db.openUri(mongodbUri, { ...options, ...defaultsFor(mongodbUri) });
  } catch (error) {
    if (!isAway(error)) throw new ConfigError(`MONGODB_URI cannot be used: ${(error as Error).message}`);
    if (isPuzzling(error) && (await kindOfMongo(mongodbUri)) === 'standalone')
      throw new ConfigError(noReplicaSetMessage);
    throw error;
  }
}

/** True when servers answered, and none of them can be used. In other cases the driver's message names the fault. */
const isPuzzling = (error: unknown): boolean =>
  // biome-ignore lint/plugin/codesNotWords: the driver has no code for it
  /^Server selection timed out/.test((error as Error).message);

/** Creates and opens a connection, for callers that need nothing else. */
export async function connectDatabase(config: Pick<Config, 'mongodbUri'>): Promise<Connection> {
  const db = createDatabase();
  await openDatabase(db, config);
  return db;
}

/** Closes a connection, and ends an attempt to open it. */
export async function closeDatabase(db: Connection): Promise<void> {
  if (db.readyState === mongoose.ConnectionStates.connecting) await db.getClient().close();
  await db.close();
}
