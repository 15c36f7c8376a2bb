import type { Config } from '@lightbox/core/config/config.js';
import { afterAll, beforeAll } from 'vitest';
import { Client } from './client.js';
import { buildGateway, type TestGateway } from './gateway.js';

/**
 * Starts one gateway for a test file before its first test, and stops it after the last one; until then the fields of
 * `test` are empty. `api` calls it without a sign-in.
 */
export function useGateway(changes: Partial<Config> = {}): { test: TestGateway; api: Client } {
  const test = {} as TestGateway;
  beforeAll(async () => {
    Object.assign(test, await buildGateway(changes));
  });
  afterAll(() => test.stop());
  return { test, api: new Client(test) };
}
