const sentinel = /^redis\+sentinel:\/\/(?:([^:@/]*):([^@/]*)@)?([^/@]+)\/([\w.-]+)(?:\/(\d+))?$/;

/** The options of the Redis client; the fields are those of ioredis. */
export interface RedisAddress {
  host?: string;
  port?: number;
  sentinels?: { host: string; port: number }[];
  name?: string;
  username?: string;
  password?: string;
  db?: number;
  tls?: Record<string, never>;
}

export function faultOfRedisUrl(value: string): string | null {
  if (value.startsWith('redis+sentinel://')) {
    return sentinel.test(value) ? null : 'must name sentinels and master: redis+sentinel://host1,host2/master';
  }
  const url = URL.canParse(value) ? new URL(value) : null;
  const known = url && /^rediss?:$/.test(url.protocol) && url.hostname !== '' && /^(\/\d*)?$/.test(url.pathname);
  return known ? null : 'must be redis://host:port, rediss://host:port or redis+sentinel://host1,host2/master';
}

/** Turns a checked REDIS_URL into options of the client, with sentinels when the URL names them. */
export function redisAddress(value: string): RedisAddress {
  const found = sentinel.exec(value);
  if (found) {
    const [, username, password, hosts = '', name = '', db] = found;
    return { sentinels: hosts.split(',').map(hostAndPort), name, ...credentials(username, password), ...database(db) };
  }
  const url = new URL(value);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 6379),
    ...credentials(url.username, url.password),
    ...database(url.pathname.slice(1)),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

function hostAndPort(text: string): { host: string; port: number } {
  const [, host = text, port = '26379'] = /^(.*?)(?::(\d+))?$/.exec(text.trim()) ?? [];
  return { host, port: Number(port) };
}

const credentials = (username = '', password = '') => ({
  ...(username ? { username: decodeURIComponent(username) } : {}),
  ...(password ? { password: decodeURIComponent(password) } : {}),
});

const database = (db = '') => (db ? { db: Number(db) } : {});
