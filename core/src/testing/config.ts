import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { inject } from 'vitest';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/env.js';
import { makeKeys } from '../config/keys.js';
import { redisAddress } from '../config/redisUrl.js';
import type {} from './globalSetup.js';

/**
 * The configuration of one test file: a database of its own, the (emptied) Redis database of its Vitest worker, fresh keys,
 * a folder, and port 0, so that the system chooses one.
 */
export async function testConfig(changes: Partial<Config> = {}): Promise<Config> {
  const { mongodbUri, redisUrl, folder } = inject('servers');
  const uri = new URL(mongodbUri);
  uri.pathname = `/t_${randomBytes(6).toString('hex')}`;
  const config = loadConfig({
    MONGODB_URI: uri.href,
    REDIS_URL: `${redisUrl}/${Number(process.env.VITEST_POOL_ID ?? 0) % 64}`,
    SMTP_URL: 'smtp://127.0.0.1:9',
    APP_KEYS: makeKeys(),
    ENCRYPTION_KEYS: makeKeys(),
    DATA_DIR: mkdtempSync(join(folder, 'data-')),
    LOG_LEVEL: 'silent',
  });
  await empty(config.redisUrl);
  return { ...config, port: 0, ...changes };
}

async function empty(redisUrl: string): Promise<void> {
  const redis = new Redis(redisAddress(redisUrl));
  await redis.flushdb();
  redis.disconnect();
}
