const sentinel = /^(rediss?)\+sentinel:\/\/(?:([^:@/]*):([^@/]*)@)?([^/@]+)\/([\w.-]+)(?:\/(\d+))?$/;

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
  sentinelTLS?: Record<string, never>;
  enableTLSForSentinelMode?: boolean;
}

export function faultOfRedisUrl(value: string): string | null {
  if (/^rediss?\+sentinel:\/\//.test(value)) {
    return sentinel.test(value) ? null : 'must name sentinels and master: rediss+sentinel://host1,host2/master';
  }
  const url = URL.canParse(value) ? new URL(value) : null;
  const known = url && /^rediss?:$/.test(url.protocol) && url.hostname !== '' && /^(\/\d*)?$/.test(url.pathname);
  return known
    ? null
    : 'must be redis://host:port, rediss://host:port, redis+sentinel://host1,host2/master or rediss+sentinel://host1,host2/master';
}

/** Turns a checked REDIS_URL into options of the client, with sentinels when the URL names them. */
export function redisAddress(value: string): RedisAddress {
  const found = sentinel.exec(value);
  if (found) {
    const [, scheme, username, password, hosts = '', name = '', db] = found;
    const account = { ...credentials(username, password), ...database(db) };
    return { sentinels: hosts.split(',').map(hostAndPort), name, ...account, ...(scheme === 'rediss' ? allTls : {}) };
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

/** TLS to the sentinels, and to the master that they name. */
const allTls = { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } as const;

function hostAndPort(text: string): { host: string; port: number } {
  const [, host = text, port = '26379'] = /^(.*?)(?::(\d+))?$/.exec(text.trim()) ?? [];
  return { host, port: Number(port) };
}

const credentials = (username = '', password = '') => ({
  ...(username ? { username: decodeURIComponent(username) } : {}),
  ...(password ? { password: decodeURIComponent(password) } : {}),
});

const database = (db = '') => (db ? { db: Number(db) } : {});
