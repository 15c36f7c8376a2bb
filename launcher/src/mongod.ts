import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { EmbeddedServer } from './server.js';

const { MongoClient } = mongoose.mongo;
type Admin = ReturnType<ReturnType<InstanceType<typeof MongoClient>['db']>['admin']>;

const setName = 'rs0';

/** Turns off MongoDB's log of slow queries, because it contains the names and addresses of the searches. */
export const withoutSlowQueries = ['--slowms', '2147483647'];

/**
 * A gateway that is killed in a transaction leaves it open, and its records are locked for other processes: with MongoDB's
 * default of 60 s for up to 90 s. The longest transaction of the product takes a small part of these 15 s.
 */
export const shortTransactions = ['--setParameter', 'transactionLifetimeLimitSeconds=15'];

/** A replica set with one member: transactions and change streams need a set, and one machine needs no more. */
export function mongodServer(binary: string, folder: string, port: number, cacheGb = 0.5): EmbeddedServer {
  const dbPath = join(folder, 'mongo');
  mkdirSync(dbPath, { recursive: true, mode: 0o700 });
  return {
    name: 'MongoDB',
    uri: `mongodb://127.0.0.1:${port}/lightbox?replicaSet=${setName}`,
    command: binary,
    args: [
      ...['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', setName],
      ...['--wiredTigerCacheSizeGB', String(cacheGb), '--oplogSize', '256', '--nounixsocket', '--quiet'],
      ...['--setParameter', 'diagnosticDataCollectionEnabled=false', ...withoutSlowQueries, ...shortTransactions],
    ],
    logFile: join(folder, 'logs', 'mongod.log'),
    answers: () => becomePrimary(port),
  };
}

/** Initiates the set with its address, or changes the address of an existing set, and waits until it accepts writes. */
async function becomePrimary(port: number): Promise<void> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1000,
  });
  try {
    await client.connect();
    const admin = client.db('admin').admin();
    await configure(admin, `127.0.0.1:${port}`);
    while (!(await admin.command({ hello: 1 })).isWritablePrimary) await sleep(25);
  } finally {
    await client.close();
  }
}

async function configure(admin: Admin, host: string): Promise<void> {
  // A set with one member has no rivals, so it need not wait the usual ten seconds before it elects itself.
  const fresh = { _id: setName, members: [{ _id: 0, host }], settings: { electionTimeoutMillis: 1000 } };
  const found = await admin.command({ replSetGetConfig: 1 }).catch((error: { codeName?: string }) => {
    if (error.codeName === 'NotYetInitialized') return null;
    throw error;
  });
  if (!found) await admin.command({ replSetInitiate: fresh });
  else if (found.config.members[0].host !== host) {
    const config = { ...found.config, version: found.config.version + 1, members: fresh.members };
    await admin.command({ replSetReconfig: config, force: true });
  }
}
