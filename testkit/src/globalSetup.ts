import { mongo } from 'mongoose';
import type { TestProject } from 'vitest/node';
import { startServers } from './servers.js';

declare module 'vitest' {
  interface ProvidedContext {
    servers: { mongodbUri: string; redisUrl: string; folder: string };
  }
}

/** Starts the servers once per run of Vitest. All test files share them, each with its own databases. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...servers } = await startServers((line) => process.stdout.write(`${line}\n`));
  try {
    await acknowledgeInMemory(servers.mongodbUri);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('servers', servers);
  return stop;
}

/**
 * Lets MongoDB acknowledge a write before its journal is on the disk. Otherwise each write of a test waits for the disk. No
 * test kills these servers: the tests of durability start servers of their own, with the settings of the product.
 */
async function acknowledgeInMemory(uri: string): Promise<void> {
  const client = new mongo.MongoClient(uri);
  try {
    const admin = client.db('admin');
    const { config } = await admin.command({ replSetGetConfig: 1 });
    const version = config.version + 1;
    await admin.command({ replSetReconfig: { ...config, version, writeConcernMajorityJournalDefault: false } });
  } finally {
    await client.close();
  }
}
