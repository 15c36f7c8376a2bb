import { isLoopback } from '../net/hosts.js';
import { list } from './list.js';
import { signOnProvidersOf } from './singleSignOn.js';

/**
 * Returns the hosts to which an address would send data unencrypted; none when it uses TLS and checks the certificate.
 */
type InClear = (value: string) => string[];

const isOn = (query: URLSearchParams, name: string): boolean => query.get(name) === 'true';

const toModel: InClear = (value) => {
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' ? [] : [hostname];
};

/** `smtp://` begins without TLS. With `requireTLS` it stops unless the server turns TLS on. */
const toMail: InClear = (value) => {
  const { protocol, hostname, searchParams } = new URL(value);
  const checked = searchParams.get('tls.rejectUnauthorized') !== 'false';
  const encrypted = protocol === 'smtps:' || (isOn(searchParams, 'requireTLS') && !isOn(searchParams, 'ignoreTLS'));
  return encrypted && checked ? [] : [hostname];
};

const unchecked = ['tlsinsecure', 'tlsallowinvalidcertificates', 'tlsallowinvalidhostnames'];

const toMongo: InClear = (value) => {
  const [, srv, hosts = '', options = ''] = /^mongodb(\+srv)?:\/\/(?:[^@/]*@)?([^/?]*)[^?]*\??(.*)$/.exec(value) ?? [];
  // The driver takes the names of its options in any case.
  const query = new URLSearchParams();
  for (const [name, said] of new URLSearchParams(options)) query.append(name.toLowerCase(), said);
  const tls = query.get('tls') ?? query.get('ssl') ?? String(srv !== undefined);
  const encrypted = tls === 'true' && !unchecked.some((name) => isOn(query, name));
  // A Unix socket is written `%2Ftmp%2Fmongodb.sock`.
  return encrypted ? [] : namesOf(hosts).filter((host) => !/^%2f/i.test(host));
};

const toRedis: InClear = (value) => {
  if (/^rediss(\+sentinel)?:/.test(value)) return [];
  return namesOf(/^redis(?:\+sentinel)?:\/\/(?:[^@/]*@)?([^/?]*)/.exec(value)?.[1] ?? '');
};

const namesOf = (hosts: string): string[] => hosts.split(',').map((host) => host.trim().replace(/:\d+$/, ''));

const toOrigins: InClear = (value) => list(value).flatMap(toModel);

const toIssuers: InClear = (value) => signOnProvidersOf(value).flatMap(({ issuer }) => toModel(issuer));

const addresses: Record<string, { inClear: InClear; instead: string }> = {
  MONGODB_URI: { inClear: toMongo, instead: 'add tls=true' },
  BACKUP_MONGODB_URI: { inClear: toMongo, instead: 'add tls=true' },
  REDIS_URL: { inClear: toRedis, instead: 'use rediss:// or rediss+sentinel://' },
  SMTP_URL: { inClear: toMail, instead: 'use smtps://, or add ?requireTLS=true' },
  S3_ENDPOINT: { inClear: toModel, instead: 'use https://' },
  AI_BASE_URL: { inClear: toModel, instead: 'use https://' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { inClear: toModel, instead: 'use https://' },
  // No setting of the product, but the exporter prefers it to the one before.
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { inClear: toModel, instead: 'use https://' },
  PUSH_ORIGINS: { inClear: toOrigins, instead: 'use https://' },
  WEBHOOK_ORIGINS: { inClear: toOrigins, instead: 'use https://' },
  OIDC_PROVIDERS: { inClear: toIssuers, instead: 'use https://' },
};

type Env = Record<string, string | undefined>;

/** True for this machine, and for the hosts that ALLOW_PLAINTEXT names. */
export function isAllowedInClear({ ALLOW_PLAINTEXT = '' }: Env, host: string): boolean {
  const name = host.toLowerCase();
  return isLoopback(name) || list(ALLOW_PLAINTEXT.toLowerCase()).includes(name);
}

/**
 * Returns the addresses that would send patients' data or passwords unencrypted to another machine that ALLOW_PLAINTEXT
 * does not name.
 */
export function faultsOfClearText(env: Env): { variable: string; says: string }[] {
  return Object.entries(addresses).flatMap(([variable, { inClear, instead }]) => {
    const hosts = hostsOf(inClear, env[variable]).filter((host) => !isAllowedInClear(env, host));
    const says = `would send data unencrypted to ${hosts.join(', ')}: ${instead}, or name it in ALLOW_PLAINTEXT`;
    return hosts.length > 0 ? [{ variable, says }] : [];
  });
}

/** Returns the hosts in lower case. Another rule reports a value that is not an address. */
function hostsOf(inClear: InClear, value: string | undefined): string[] {
  try {
    return value === undefined ? [] : inClear(value).map((host) => host.toLowerCase());
  } catch {
    return [];
  }
}
