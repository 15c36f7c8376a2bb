import mongoose, { type Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import { ConfigError } from '../config/env.js';
import { isAway } from './away.js';
import { kindOfMongo, noReplicaSetMessage } from './kindOfMongo.js';
import { MAJORITY_MS } from './majority.js';

/**
 * Writes are acknowledged by a majority, and reads see what a majority has, unless a caller says otherwise. So what is
 * answered, shown, mailed or done from a read survives a failover too. Exceptions: `newest.ts`.
 */
const options = {
  writeConcern: { w: 'majority', wtimeoutMS: MAJORITY_MS },
  readConcern: { level: 'majority' },
  autoIndex: false,
  autoCreate: false,
} as const;

/** What MONGODB_URI itself says of these wins. */
const defaults = {
  serverSelectionTimeoutMS: 5_000,
  // A network that swallows everything is noticed within seven seconds, by the driver's own heartbeat, and what waits for
  // an answer is broken off; a query that takes long on a server that lives is not.
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

/** A connection that is not open yet. Models can be made on it; what is asked of it before `openDatabase` fails at once. */
export function createDatabase(): Connection {
  const db = mongoose.createConnection();
  db.set('bufferCommands', false);
  return db;
}

/** One try, of five seconds at most. What can only be mended by whoever set MONGODB_URI is a ConfigError. */
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

/** Servers answered, and none of them was one to work with: else the driver says what befell the connection. */
const isPuzzling = (error: unknown): boolean =>
  // biome-ignore lint/plugin/codesNotWords: the driver has no code for it
  /^Server selection timed out/.test((error as Error).message);

/** Both at once, for who needs nothing else. */
export async function connectDatabase(config: Pick<Config, 'mongodbUri'>): Promise<Connection> {
  const db = createDatabase();
  await openDatabase(db, config);
  return db;
}

/** Also breaks off a try that is under way. */
export async function closeDatabase(db: Connection): Promise<void> {
  if (db.readyState === mongoose.ConnectionStates.connecting) await db.getClient().close();
  await db.close();
}
