import type { TestProject } from 'vitest/node';
import { acknowledgeInMemory } from './journal.js';
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
    // No test kills these servers.
    await acknowledgeInMemory(servers.mongodbUri);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('servers', servers);
  return stop;
}
