import type { TestProject } from 'vitest/node';
import { startServers } from './servers.js';

declare module 'vitest' {
  interface ProvidedContext {
    servers: { mongodbUri: string; redisUrl: string; folder: string };
  }
}

/** Once per run of Vitest: the servers that all test files share, each with its own databases on them. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...servers } = await startServers((line) => process.stdout.write(`${line}\n`));
  project.provide('servers', servers);
  return stop;
}
