import { Redis, type RedisOptions } from 'ioredis';

type Options = Omit<RedisOptions, 'replyMapping'>;

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
    reconnectOnError: (error) => error.message.includes('READONLY'),
    ...(kind === 'failFast' ? { commandTimeout: 2_000 } : {}),
  };
  const redis = url.startsWith('redis+sentinel://')
    ? new Redis({ ...options, ...sentinel(url) })
    : new Redis(url, options);
  // Without a listener ioredis prints every failed try; readiness is reported by /readyz.
  redis.on('error', () => undefined);
  return redis;
}

/** `redis+sentinel://[:password@]host1[:port],host2[:port]/master[/db]` */
function sentinel(url: string): Options {
  const [, password, hosts = '', name = 'mymaster', db = '0'] =
    /^redis\+sentinel:\/\/(?:[^:@/]*:([^@/]*)@)?([^/]+)\/([^/]+)(?:\/(\d+))?$/.exec(url) ?? [];
  return {
    sentinels: hosts.split(',').map((entry) => {
      const [host = '', port] = entry.split(':');
      return { host, port: port ? Number(port) : 26379 };
    }),
    name,
    db: Number(db),
    ...(password ? { password: decodeURIComponent(password) } : {}),
  };
}
