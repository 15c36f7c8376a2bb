import { Redis, type RedisOptions } from 'ioredis';
import { redisAddress } from '../config/redisUrl.js';

type Options = Omit<RedisOptions, 'replyMapping'>;

// A server that does not answer is taken for gone, so that not every command waits for it anew; a command that was
// refused to its caller is not sent again behind their back.
const failFast = { commandTimeout: 2_000, socketTimeout: 2_000, autoResendUnfulfilledCommands: false };
// Longer than any read blocks.
const patient = { socketTimeout: 20_000 };

/**
 * Two kinds of connection: one that fails at once while Redis is away (what a request waits for), and one that waits
 * for its return (blocking readers and BullMQ's workers).
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
  // Without a listener ioredis prints every failed try; readiness is reported by /readyz.
  redis.on('error', () => undefined);
  return redis;
}
