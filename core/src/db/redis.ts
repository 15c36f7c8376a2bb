import { Redis, type RedisOptions } from 'ioredis';
import { redisAddress } from '../config/redisUrl.js';

type Options = Omit<RedisOptions, 'replyMapping'>;

// A server that does not answer counts as away, so that later commands do not wait for it again. A command that was
// rejected is not sent later without its caller's knowledge.
const failFast = { commandTimeout: 2_000, socketTimeout: 2_000, autoResendUnfulfilledCommands: false };
// Longer than any blocking read.
const patient = { socketTimeout: 20_000 };

/**
 * Makes one of two kinds of connection: one that fails at once while Redis is away (for requests), and one that waits
 * for its return (for blocking readers and BullMQ's workers).
 */
export function connectRedis(url: string, kind: 'failFast' | 'patient'): Redis {
  const options: Options = {
    maxRetriesPerRequest: null,
    enableOfflineQueue: kind === 'patient',
    connectTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
    // biome-ignore lint/plugin/codesNotWords: Redis answers in words alone
    reconnectOnError: (error) => error.message.includes('READONLY'),
    ...(kind === 'failFast' ? failFast : patient),
  };
  const redis = new Redis({ ...redisAddress(url), ...options });
  // Without a listener ioredis prints every failed attempt; /readyz reports the state.
  redis.on('error', () => undefined);
  return redis;
}
