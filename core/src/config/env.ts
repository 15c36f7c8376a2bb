import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { passwordFault } from '@lightbox/contract/auth/rules.js';
import { type QueueName, queueNames } from '@lightbox/contract/queues.js';
import { TimeZone } from '@lightbox/contract/timeZone.js';
import { z } from 'zod';
import { faultOfAnchor } from '../audit/anchor.js';
import { isLoopback } from '../net/hosts.js';
import { type AiConfig, aiConfigOf, aiRules, aiSettings } from './ai.js';
import { backupConfigOf, backupSettings } from './backup.js';
import { blobConfigOf, blobRules, blobSettings } from './blobs.js';
import { faultsOfClearText } from './clearText.js';
import type { Config } from './config.js';
import { dicomConfigOf, dicomProductionRules, dicomRules, dicomSettings } from './dicom.js';
import { faultOfKeys, faultOfVapidKey } from './keys.js';
import { list } from './list.js';
import { faultOfMongodbUri } from './mongodbUri.js';
import { faultOfRedisUrl } from './redisUrl.js';
import { chosenSecrets } from './secretSettings.js';
import { signOnProvidersOf, signOnSettings } from './singleSignOn.js';
import { tracingConfigOf, tracingSettings } from './tracing.js';
import { faultOfTrustProxy, parseTrustProxy, trustsEverybody } from './trustProxy.js';

export type Env = Record<string, string | undefined>;

/** The faults of the configuration, as text for people, one per line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Exit code of a process that cannot run with its configuration, so that its supervisor does not retry. */
export const configExitCode = 78;

/** Shown at the gateway's first start, when the database has no admin, none is named and there are no demo people. */
export const noAdminMessage =
  'Lightbox has no admin yet. Name the first one with ADMIN_EMAIL and ADMIN_PASSWORD, and start again.';

const defaultConcurrency: Record<QueueName, number> = {
  analysis: 1,
  previews: 2,
  mail: 5,
  notifications: 10,
  webhooks: 10,
  audit: 1,
  maintenance: 1,
};

/** Text that `faultOf` checks; it returns the fault, or null. */
const text = (faultOf: (value: string) => string | null) =>
  z.string().superRefine((value, context) => {
    const message = faultOf(value);
    if (message) context.addIssue({ code: 'custom', message });
  });

const port = text((value) =>
  /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535
    ? null
    : `must be a whole number from 1 to 65535, not "${value}"`,
).transform(Number);

const oneOf = (...values: [string, ...string[]]) => z.enum(values, { error: `must be ${values.join(' or ')}` });

const startsWith = (...schemes: string[]) =>
  text((value) =>
    schemes.some((scheme) => value.startsWith(scheme) && value.length > scheme.length)
      ? null
      : `must start with ${schemes.join(' or ')}`,
  );

function faultOfPublicUrl(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  const bare = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.username;
  return bare ? null : 'must be an address such as https://lightbox.example.org, without a path';
}

/** Checks addresses without a path, separated by commas. */
const faultOfOrigins = (value: string): string | null => list(value).map(faultOfPublicUrl).find(Boolean) ?? null;

const faultOfQueues = (value: string): string | null => {
  const unknown = list(value).filter((name) => !isQueue(name));
  if (unknown.length > 0)
    return `names an unknown queue "${unknown.join('", "')}": choose from ${queueNames.join(', ')}`;
  return list(value).length > 0 ? null : 'names no queue';
};

const faultOfConcurrency = (value: string): string | null => {
  const good = (count: string | undefined) => /^\d{1,3}$/.test(count ?? '') && Number(count) > 0;
  const ok =
    good(value) ||
    (list(value).length > 0 &&
      list(value).every((part) => {
        const [name = '', count, more] = part.split('=');
        return isQueue(name) && good(count) && more === undefined;
      }));
  return ok ? null : 'must be a number from 1 to 999, or such as analysis=2,mail=10';
};

/** Checks host names, separated by commas. */
const faultOfHosts = (value: string): string | null =>
  list(value).every((host) => /^[\w.-]+$|^\[[\da-f:]+\]$/i.test(host))
    ? null
    : 'must be host names separated by commas, without scheme and port';

/** The same rule as for every person's password. */
const faultOfPassword = (value: string): string | null => {
  const fault = passwordFault(value);
  return fault === undefined ? null : `is refused: ${fault}`;
};

const schema = z.object({
  NODE_ENV: z.string().optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  PUBLIC_URL: text(faultOfPublicUrl).optional(),
  TRUST_PROXY: text(faultOfTrustProxy).optional(),
  DATA_DIR: z.string().default('.data'),
  MONGODB_URI: text(faultOfMongodbUri),
  REDIS_URL: text(faultOfRedisUrl),
  SMTP_URL: startsWith('smtp://', 'smtps://'),
  MAIL_FROM: text((value) => (/\S+@\S+/.test(value) ? null : 'must hold an e-mail address')).optional(),
  MAIL_WEB_PORT: port.default(1080),
  /** Set by the launcher when mail goes to its own mail catcher, which shows every code. */
  MAIL_INBOX_URL: z.string().optional(),
  APP_KEYS: text(faultOfKeys),
  ENCRYPTION_KEYS: text(faultOfKeys),
  AUDIT_KEYS: text(faultOfKeys).optional(),
  AUDIT_ANCHOR: text(faultOfAnchor).optional(),
  VAPID_KEY: text(faultOfVapidKey).optional(),
  PUSH_ORIGINS: text(faultOfOrigins).optional(),
  WEBHOOK_ORIGINS: text(faultOfOrigins).optional(),
  DICOMWEB_ORIGINS: text(faultOfOrigins).optional(),
  ...signOnSettings,
  ADMIN_EMAIL: z.email('must be an e-mail address').optional(),
  ADMIN_PASSWORD: text(faultOfPassword).optional(),
  DEMO: oneOf('0', '1').default('0'),
  ALLOW_PLAINTEXT: text(faultOfHosts).optional(),
  ...aiSettings,
  RENDERER_SOCKET: text((value) => (isAbsolute(value) ? null : 'must be an absolute path')).optional(),
  WORKER_QUEUES: text(faultOfQueues).optional(),
  WORKER_CONCURRENCY: text(faultOfConcurrency).optional(),
  RATE_LIMITS: oneOf('on', 'off').default('on'),
  STORAGE_RESERVE_MB: text((value) =>
    /^\d{1,7}$/.test(value) ? null : `must be a whole number of megabytes, not "${value}"`,
  )
    .transform(Number)
    .optional(),
  ...blobSettings,
  ...backupSettings,
  ...dicomSettings,
  OPS_PORT: port.optional(),
  OPS_HOST: z.string().default('127.0.0.1'),
  ...tracingSettings,
  /** Node.js reads it itself: the time zone of people whose browser has not sent theirs. */
  TZ: text((value) =>
    TimeZone.safeParse(value).success ? null : 'must be a time zone such as Asia/Karachi',
  ).optional(),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
});

/** The settings that people may set; MAIL_INBOX_URL belongs to the launcher. */
export const settingNames: string[] = Object.keys(schema.shape).filter((name) => name !== 'MAIL_INBOX_URL');

/**
 * Rules for combinations of settings. They read the raw text, so that their faults are reported together with those of
 * single settings.
 */
const rules: { variable: string; breaks: (env: Env) => boolean; says: string }[] = [
  {
    variable: 'DEMO',
    breaks: (env) => env.DEMO === '1' && beyondLoopback(env),
    says: 'must be 0 with a HOST or PUBLIC_URL beyond loopback, because everybody would see the passwords; name an ADMIN_EMAIL instead',
  },
  {
    variable: 'SMTP_URL',
    breaks: (env) => !!env.MAIL_INBOX_URL && (env.NODE_ENV === 'production' || beyondLoopback(env)),
    says: 'must name a mail server in production, and with a HOST or PUBLIC_URL beyond loopback: the built-in mail catcher shows every code',
  },
  {
    variable: 'ADMIN_PASSWORD',
    breaks: (env) => !!env.ADMIN_EMAIL && !env.ADMIN_PASSWORD,
    says: 'is missing next to ADMIN_EMAIL',
  },
  {
    variable: 'ADMIN_EMAIL',
    breaks: (env) => !env.ADMIN_EMAIL && !!env.ADMIN_PASSWORD,
    says: 'is missing next to ADMIN_PASSWORD',
  },
  ...aiRules,
  ...blobRules,
  ...dicomRules,
  {
    variable: 'ENCRYPTION_KEYS',
    breaks: (env) => shareAKey(env.APP_KEYS, env.ENCRYPTION_KEYS),
    says: 'must not hold a key that APP_KEYS holds too',
  },
  {
    variable: 'AUDIT_KEYS',
    breaks: (env) => idsOf(env.AUDIT_KEYS).some((id) => idsOf(env.APP_KEYS).includes(id)),
    says: 'must not hold an id that APP_KEYS holds too: a key moves from there to here',
  },
];

const productionRules: typeof rules = [
  ...dicomProductionRules,
  {
    variable: 'PUBLIC_URL',
    breaks: (env) => !env.PUBLIC_URL?.startsWith('https://'),
    says: 'must be set in production, and start with https://',
  },
  { variable: 'DEMO', breaks: (env) => env.DEMO === '1', says: 'must not be 1 in production' },
  { variable: 'RATE_LIMITS', breaks: (env) => env.RATE_LIMITS === 'off', says: 'must not be off in production' },
  {
    variable: 'TRUST_PROXY',
    breaks: (env) => trustsEverybody(env.TRUST_PROXY),
    says: 'must name your own proxies: with so many, clients could choose the address by which they are counted',
  },
  {
    variable: 'OIDC_PROVIDERS',
    breaks: (env) => signOnProvidersOf(env.OIDC_PROVIDERS).some(({ clientSecret }) => holdsExample(clientSecret)),
    says: 'holds an example or a guessable secret; choose your own',
  },
  {
    // Node.js reads it itself.
    variable: 'NODE_TLS_REJECT_UNAUTHORIZED',
    breaks: (env) => env.NODE_TLS_REJECT_UNAUTHORIZED === '0',
    says: 'must not be 0 in production: no certificate would be checked; name your own CA in NODE_EXTRA_CA_CERTS',
  },
  ...chosenSecrets.map((variable) => ({
    variable,
    breaks: (env: Env) => holdsExample(env[variable]),
    says: 'holds an example or a guessable secret; choose your own',
  })),
];

/** Reads and checks the whole configuration from the environment; throws one ConfigError that lists all its faults. */
export function loadConfig(from: Env): Config {
  const env = withoutBlanks(from);
  const production = env.NODE_ENV === 'production';
  return toConfig(
    checked(schema, env, [
      ...[...rules, ...(production ? productionRules : [])].filter((rule) => rule.breaks(env)),
      ...(production ? faultsOfClearText(env) : []),
    ]),
    production,
  );
}

/** Reads the settings of analyses alone, for programs without databases. */
export function loadAiConfig(from: Env): AiConfig {
  const env = withoutBlanks(from);
  const broken = aiRules.filter((rule) => rule.breaks(env));
  return aiConfigOf(checked(z.object(aiSettings), env, broken));
}

interface Fault {
  variable: string;
  says: string;
}

/** Returns the values; throws one ConfigError with the faults of single settings and those of combinations. */
function checked<Schema extends z.ZodType>(settings: Schema, env: Env, broken: Fault[]): z.output<Schema> {
  const parsed = settings.safeParse(env);
  const faults = (parsed.error?.issues ?? []).map(({ path, message, code }) => ({
    variable: String(path[0]),
    says: code === 'invalid_type' && env[String(path[0])] === undefined ? 'is missing' : message,
  }));
  if (!parsed.success || broken.length > 0) throw new ConfigError(wordFaults([...faults, ...broken]));
  return parsed.data;
}

function wordFaults(faults: Fault[]): string {
  const lines = [...new Set(faults.map(({ variable, says }) => `  ${variable} ${says}`))];
  return `Lightbox cannot start with these settings (.env.example explains each):\n${lines.join('\n')}`;
}

function toConfig(env: z.output<typeof schema>, production: boolean): Config {
  const publicUrl = (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/$/, '');
  return {
    production,
    host: env.HOST,
    port: env.PORT,
    publicUrl,
    allowedOrigins: originsOf(publicUrl),
    trustProxy: parseTrustProxy(env.TRUST_PROXY),
    dataDir: resolve(env.DATA_DIR),
    mongodbUri: env.MONGODB_URI,
    redisUrl: env.REDIS_URL,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM ?? `Lightbox <no-reply@${mailDomain(publicUrl)}>`,
    appKeys: env.APP_KEYS,
    encryptionKeys: env.ENCRYPTION_KEYS,
    auditKeys: env.AUDIT_KEYS ?? null,
    auditAnchor: env.AUDIT_ANCHOR ?? null,
    vapidKey: env.VAPID_KEY ?? null,
    pushOrigins: listOrigins(env.PUSH_ORIGINS),
    webhookOrigins: listOrigins(env.WEBHOOK_ORIGINS),
    dicomWebOrigins: listOrigins(env.DICOMWEB_ORIGINS),
    signOn: signOnProvidersOf(env.OIDC_PROVIDERS),
    admin:
      env.ADMIN_EMAIL && env.ADMIN_PASSWORD
        ? { email: env.ADMIN_EMAIL.toLowerCase(), password: env.ADMIN_PASSWORD }
        : null,
    demo: env.DEMO === '1',
    ai: aiConfigOf(env),
    rendererSocket: env.RENDERER_SOCKET ?? null,
    worker: { queues: parseQueues(env.WORKER_QUEUES), concurrency: parseConcurrency(env.WORKER_CONCURRENCY) },
    rateLimits: env.RATE_LIMITS === 'on',
    reserveBytes: env.STORAGE_RESERVE_MB === undefined ? null : env.STORAGE_RESERVE_MB * 1024 * 1024,
    blobs: blobConfigOf(env),
    backup: backupConfigOf(env),
    dicom: dicomConfigOf(env),
    ops: env.OPS_PORT ? { host: env.OPS_HOST, port: env.OPS_PORT } : null,
    tracing: tracingConfigOf(env),
    logLevel: env.LOG_LEVEL,
  };
}

const listOrigins = (text = ''): string[] => list(text).map((origin) => new URL(origin).origin);

/** Returns the domain of the sender. Mail servers reject an IP address there, so it falls back to localhost. */
function mailDomain(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  return isIP(hostname.replace(/^\[|\]$/g, '')) ? 'localhost' : hostname;
}

/** Returns the product's own origins. On loopback people type either name, so both are. */
function originsOf(publicUrl: string): string[] {
  const url = new URL(publicUrl);
  if (!isLoopback(url.hostname)) return [url.origin];
  return [...new Set([url.hostname, 'localhost', '127.0.0.1'])].map((hostname) => {
    const other = new URL(publicUrl);
    other.hostname = hostname;
    return other.origin;
  });
}

const parseQueues = (value: string | undefined): QueueName[] =>
  value === undefined ? [...queueNames] : [...new Set(list(value).filter(isQueue))];

function parseConcurrency(value: string | undefined): Record<QueueName, number> {
  if (value === undefined) return { ...defaultConcurrency };
  const pairs = /^\d+$/.test(value)
    ? queueNames.map((name) => [name, Number(value)])
    : list(value).map((part) => [part.split('=')[0], Number(part.split('=')[1])]);
  return { ...defaultConcurrency, ...Object.fromEntries(pairs) };
}

const isQueue = (name: string): name is QueueName => (queueNames as readonly string[]).includes(name);

/**
 * True when other machines can reach the product, also through a proxy on this machine that serves its `PUBLIC_URL`.
 */
const beyondLoopback = ({ HOST, PUBLIC_URL = '' }: Env): boolean =>
  (HOST !== undefined && !isLoopback(HOST)) || (URL.canParse(PUBLIC_URL) && !isLoopback(new URL(PUBLIC_URL).hostname));

const idsOf = (ring = ''): string[] => list(ring).map((entry) => entry.slice(0, entry.indexOf(':')));

const shareAKey = (some = '', others = ''): boolean => {
  // Compare bytes: the same key can be written in base64 and in base64url.
  const bytes = (ring: string) =>
    list(ring).map((entry) => Buffer.from(entry.slice(entry.indexOf(':') + 1), 'base64').toString('hex'));
  return bytes(some).some((key) => bytes(others).includes(key));
};

/** True for an example or an easily guessed secret, alone or as the password inside an address. */
const holdsExample = (value = ''): boolean => {
  const secret = /^[a-z+]+:\/\//.test(value) ? (/:\/\/[^@/]*?:([^@]*)@/.exec(value)?.[1] ?? '') : value;
  return /change.?me|example|your.?(password|secret|key)|^(pass(word)?|secret|admin|root|test|lightbox)\W*\d*\W*$|^<.*>$/i.test(
    secret,
  );
};

/** Removes empty values: Compose files and shells pass unset variables as empty text. */
const withoutBlanks = (env: Env): Env =>
  Object.fromEntries(
    Object.entries(env)
      .map(([name, value]) => [name, value?.trim()] as const)
      .filter(([, value]) => value),
  );
