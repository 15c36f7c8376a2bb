import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigError, type Env, loadAiConfig, loadConfig, noAdminMessage } from './env.js';
import { makeKeys } from './keys.js';

const base: Env = {
  MONGODB_URI: 'mongodb://127.0.0.1:27017/lightbox?replicaSet=rs0',
  REDIS_URL: 'redis://127.0.0.1:6379',
  SMTP_URL: 'smtp://127.0.0.1:1025',
  APP_KEYS: makeKeys(),
  ENCRYPTION_KEYS: makeKeys(),
};
const production: Env = { ...base, NODE_ENV: 'production', PUBLIC_URL: 'https://lightbox.hospital.org' };

/** Returns the text of the refusal, or '' when the settings are accepted. */
function refusal(env: Env): string {
  try {
    loadConfig(env);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

describe('accepted settings', () => {
  it('Settings that are missing get defaults.', () => {
    expect(loadConfig(base)).toMatchObject({
      production: false,
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      allowedOrigins: ['http://localhost:3000', 'http://127.0.0.1:3000'],
      trustProxy: false,
      mailFrom: 'Lightbox <no-reply@localhost>',
      vapidKey: null,
      pushOrigins: [],
      webhookOrigins: [],
      dicomWebOrigins: [],
      admin: null,
      demo: false,
      ai: { provider: 'local', baseUrl: null },
      worker: {
        queues: ['analysis', 'previews', 'mail', 'notifications', 'webhooks', 'audit', 'maintenance'],
        concurrency: { analysis: 1, previews: 2, mail: 5, notifications: 10, webhooks: 10, audit: 1, maintenance: 1 },
      },
      rateLimits: true,
      reserveBytes: null,
      blobs: { store: 'gridfs', dir: null, s3: null },
      dicom: null,
      ops: null,
      logLevel: 'info',
    });
  });

  it('An empty setting counts as missing, because Compose passes unset settings as empty text.', () => {
    expect(loadConfig({ ...base, PORT: '', ADMIN_EMAIL: ' ', OPS_PORT: '' })).toMatchObject({ port: 3000, ops: null });
  });

  it('The reserve is a number of megabytes, and may be 0.', () => {
    expect(loadConfig({ ...base, STORAGE_RESERVE_MB: '64' }).reserveBytes).toBe(64 * 1024 * 1024);
    expect(loadConfig({ ...base, STORAGE_RESERVE_MB: '0' }).reserveBytes).toBe(0);
  });

  it('On loopback both names are allowed origins; a real address has one origin.', () => {
    const origins = (url: string) => loadConfig({ ...base, PUBLIC_URL: url }).allowedOrigins;
    expect(origins('http://127.0.0.1:4000/')).toEqual(['http://127.0.0.1:4000', 'http://localhost:4000']);
    expect(origins('https://lightbox.hospital.org')).toEqual(['https://lightbox.hospital.org']);
  });

  it('Proxies are a number of hops, or names and CIDRs.', () => {
    const trust = (value: string) => loadConfig({ ...base, TRUST_PROXY: value }).trustProxy;
    expect(trust('2')).toBe(2);
    expect(trust('0')).toBe(false);
    expect(trust('loopback, 10.0.0.0/8,fd00::/8')).toEqual(['loopback', '10.0.0.0/8', 'fd00::/8']);
  });

  it('A worker reads its queues and the concurrency of each.', () => {
    const { worker } = loadConfig({
      ...base,
      WORKER_QUEUES: 'mail, analysis',
      WORKER_CONCURRENCY: 'analysis=2,mail=10',
    });
    expect(worker.queues).toEqual(['mail', 'analysis']);
    expect(worker.concurrency).toMatchObject({ analysis: 2, mail: 10, previews: 2 });
    expect(loadConfig({ ...base, WORKER_CONCURRENCY: '4' }).worker.concurrency.audit).toBe(4);
  });

  it('The VAPID key and the origins of private push services are read.', () => {
    const VAPID_KEY = randomBytes(32).toString('base64');
    const config = loadConfig({ ...base, VAPID_KEY, PUSH_ORIGINS: 'http://127.0.0.1:8099/, https://push.intra' });
    expect(config).toMatchObject({
      vapidKey: VAPID_KEY,
      pushOrigins: ['http://127.0.0.1:8099', 'https://push.intra'],
    });
  });

  it('Providers of single sign-on are read, and a wrong list is refused without its secret.', () => {
    const good = {
      id: 'clinic',
      name: 'Clinic',
      issuer: 'https://login.clinic.test',
      clientId: 'x',
      clientSecret: 'Tidal-31',
    };
    const read = (...list: object[]) => ({ ...base, OIDC_PROVIDERS: JSON.stringify(list) });
    expect(loadConfig(read({ ...good, defaultRole: 'patient' })).signOn).toMatchObject([
      { id: 'clinic', scopes: 'openid email profile', linkByEmail: false, approve: true, allowAdmin: false },
    ]);
    for (const wrong of [
      good,
      { ...good, signUp: false, id: 'Clinic' },
      { ...good, signUp: false, issuer: 'ftp://x' },
      { ...good, roleClaim: 'groups', roles: { chiefs: 'admin' } },
      { ...good, signUp: false, roles: { doctors: 'healthProvider' } },
      { ...good, signUp: false, scopes: 'email' },
      { ...good, signUp: false, unknown: 1 },
    ]) {
      const said = refusal(read(wrong));
      expect(said, JSON.stringify(wrong)).toContain('OIDC_PROVIDERS');
      expect(said).not.toContain(good.clientSecret);
    }
    const twice = { ...good, signUp: false };
    expect(refusal(read(twice, twice))).toContain('twice');
    expect(refusal({ ...base, OIDC_PROVIDERS: '{' })).toContain('JSON');
  });

  it('The address of the first admin is stored in lower case.', () => {
    const { admin } = loadConfig({ ...base, ADMIN_EMAIL: 'Ada@Hospital.org', ADMIN_PASSWORD: 'Correct-Horse-7' });
    expect(admin).toEqual({ email: 'ada@hospital.org', password: 'Correct-Horse-7' });
  });
});

describe('refused settings', () => {
  it('One message names every fault.', () => {
    const text = refusal({
      ...base,
      MONGODB_URI: undefined,
      PORT: 'x',
      LOG_LEVEL: 'loud',
      ADMIN_EMAIL: 'a@b.org',
      DEMO: '2',
    });
    expect(text.split('\n').slice(1)).toEqual([
      '  PORT must be a whole number from 1 to 65535, not "x"',
      '  MONGODB_URI is missing',
      '  DEMO must be 0 or 1',
      '  LOG_LEVEL must be fatal or error or warn or info or debug or trace or silent',
      '  ADMIN_PASSWORD is missing next to ADMIN_EMAIL',
    ]);
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PUBLIC_URL', 'lightbox.org'],
    ['PUBLIC_URL', 'https://lightbox.org/app'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/40'],
    ['MONGODB_URI', 'postgres://x'],
    ['MONGODB_URI', 'mongodb://a,b/lightbox?replicaSet=rs0&readPreference=secondaryPreferred'],
    ['MONGODB_URI', 'mongodb://a,b/lightbox?readConcernLevel=local'],
    ['MONGODB_URI', 'mongodb+srv://a/lightbox?w=1'],
    ['MONGODB_URI', 'mongodb://a/lightbox?w=majority&journal=false'],
    ['REDIS_URL', 'valkey://x'],
    ['REDIS_URL', 'redis+sentinel://h1,h2'],
    ['REDIS_URL', 'rediss+sentinel://h1,h2'],
    ['SMTP_URL', 'mail.example.org'],
    ['MAIL_FROM', 'Lightbox'],
    ['APP_KEYS', 'short'],
    ['APP_KEYS', `k1:${Buffer.alloc(31, 1).toString('base64')}`],
    ['ENCRYPTION_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`],
    ['ENCRYPTION_KEYS', `k1:${Buffer.from('this-is-my-very-secret-key-12345').toString('base64')}`],
    ['ENCRYPTION_KEYS', `k1:${Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('base64')}`],
    ['VAPID_KEY', 'short'],
    ['VAPID_KEY', Buffer.alloc(32, 0xff).toString('base64')],
    ['VAPID_KEY', Buffer.from('this-is-my-very-secret-key-12345').toString('base64')],
    ['PUSH_ORIGINS', 'push.intra'],
    ['WEBHOOK_ORIGINS', 'ehr.intra'],
    ['DICOMWEB_ORIGINS', '*'],
    ['PUSH_ORIGINS', 'https://push.intra,https://push.intra/path'],
    ['ADMIN_EMAIL', 'nobody'],
    ['AI_PROVIDER', 'oracle'],
    ['AI_MAX_CALLS_PER_DAY', '0'],
    ['AI_MAX_OUTPUT_TOKENS', 'many'],
    ['WORKER_QUEUES', 'mail,post'],
    ['WORKER_CONCURRENCY', 'mail=0'],
    ['WORKER_CONCURRENCY', 'post=1'],
    ['RATE_LIMITS', 'no'],
    ['STORAGE_RESERVE_MB', '1 GB'],
    ['BLOB_STORE', 'disk'],
    ['BLOB_DIR', 'blobs'],
    ['S3_ENDPOINT', 's3.hospital.example'],
    ['S3_FORCE_PATH_STYLE', '1'],
    ['TZ', 'Asia/Nowhere'],
    ['OPS_PORT', 'yes'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ])('%s=%s is refused.', (name, value) => {
    expect(refusal({ ...base, [name]: value })).toContain(`\n  ${name} `);
  });

  it('A refusal never repeats a secret.', () => {
    const text = refusal({ ...base, APP_KEYS: 'not-a-key-ring', ADMIN_EMAIL: 'a@b.org', ADMIN_PASSWORD: 'weakling' });
    expect(text).not.toMatch(/not-a-key-ring|weakling/);
    expect(text).toMatch(/APP_KEYS[\s\S]*ADMIN_PASSWORD/);
  });

  it('One id for two keys is refused, and one key for two purposes.', () => {
    const [first, second] = [makeKeys(), makeKeys()];
    const sameId = `a:${first.split(':')[1]},a:${second.split(':')[1]}`;
    expect(refusal({ ...base, APP_KEYS: sameId })).toContain('APP_KEYS holds the same id twice');
    expect(refusal({ ...base, APP_KEYS: first, ENCRYPTION_KEYS: first })).toContain('ENCRYPTION_KEYS must not hold');
    const key = Buffer.from(Array.from({ length: 32 }, (_, i) => (i * i * 37 + 251) % 256));
    const [plain, forAddresses] = [`k1:${key.toString('base64')}`, `k2:${key.toString('base64url')}`];
    expect(plain.split(':')[1]).not.toBe(forAddresses.split(':')[1]);
    expect(refusal({ ...base, APP_KEYS: plain, ENCRYPTION_KEYS: forAddresses })).toContain(
      'ENCRYPTION_KEYS must not hold',
    );
    expect(refusal({ ...base, APP_KEYS: first, AUDIT_KEYS: first })).toContain('AUDIT_KEYS must not hold an id');
    expect(refusal({ ...base, AUDIT_KEYS: 'k1:short' })).toContain('AUDIT_KEYS must be id:key');
  });

  it('A provider of analyses is refused without the settings that it needs.', () => {
    expect(refusal({ ...base, AI_PROVIDER: 'openai' })).toMatch(/AI_BASE_URL is needed[\s\S]*AI_MODEL is needed/);
    const onnx = { AI_PROVIDER: 'onnx', AI_ONNX_MODEL: 'model.onnx' };
    expect(refusal({ ...base, ...onnx })).toContain('AI_ONNX_LABELS is needed with AI_PROVIDER=onnx');
    expect(() => loadAiConfig(onnx)).toThrow('AI_ONNX_LABELS is needed');
    expect(loadAiConfig({ AI_MAX_CALLS_PER_DAY: '7' })).toMatchObject({ provider: 'local', maxCallsPerDay: 7 });
  });

  it('Demo people and the mail catcher are refused beyond loopback.', () => {
    expect(refusal({ ...base, HOST: '0.0.0.0', DEMO: '1' })).toContain('DEMO must be 0');
    expect(refusal({ ...base, HOST: '::', MAIL_INBOX_URL: 'http://127.0.0.1:1080' })).toContain('SMTP_URL must name');
    expect(refusal({ ...base, HOST: '127.0.0.1', DEMO: '1', MAIL_INBOX_URL: 'http://127.0.0.1:1080' })).toBe('');
    expect(refusal({ ...base, HOST: '0.0.0.0' })).toBe('');
    const published = { ...base, PUBLIC_URL: 'https://lightbox.hospital.org' };
    expect(refusal({ ...published, DEMO: '1' })).toContain('DEMO must be 0');
    expect(refusal({ ...published, MAIL_INBOX_URL: 'http://127.0.0.1:1080' })).toContain('SMTP_URL must name');
    expect(refusal({ ...base, PUBLIC_URL: 'http://127.0.0.1:4000', DEMO: '1' })).toBe('');
  });
});

describe('production', () => {
  it('Production starts with all settings named.', () => {
    expect(refusal(production)).toBe('');
    expect(loadConfig(production)).toMatchObject({
      production: true,
      mailFrom: 'Lightbox <no-reply@lightbox.hospital.org>',
    });
  });

  it('Production needs every server, the keys and an https address, and names all that are missing.', () => {
    const text = refusal({ NODE_ENV: 'production' });
    for (const name of ['MONGODB_URI', 'REDIS_URL', 'SMTP_URL', 'APP_KEYS', 'ENCRYPTION_KEYS']) {
      expect(text).toContain(`  ${name} is missing`);
    }
    expect(text).toContain('PUBLIC_URL must be set in production, and start with https://');
  });

  it('Production refuses settings that only demonstrations and load tests need.', () => {
    const text = refusal({ ...production, PUBLIC_URL: 'http://lightbox.hospital.org', DEMO: '1', RATE_LIMITS: 'off' });
    expect(text).toMatch(/PUBLIC_URL[\s\S]*DEMO must not be 1 in production[\s\S]*RATE_LIMITS must not be off/);
  });

  const clear = { AI_PROVIDER: 'openai', AI_MODEL: 'm' };
  it.each([
    ['AI_BASE_URL', 'http://ai.hospital.org/v1', 'ai.hospital.org'],
    [
      'OIDC_PROVIDERS',
      '[{"id":"x","name":"X","issuer":"http://login.hospital.org","clientId":"x","signUp":false}]',
      'login.hospital.org',
    ],
    ['SMTP_URL', 'smtp://mail.hospital.org', 'mail.hospital.org'],
    ['SMTP_URL', 'smtp://mail.hospital.org?requireTLS=false', 'mail.hospital.org'],
    ['SMTP_URL', 'smtp://mail.hospital.org?requireTLS=true&ignoreTLS=true', 'mail.hospital.org'],
    ['SMTP_URL', 'smtps://mail.hospital.org?tls.rejectUnauthorized=false', 'mail.hospital.org'],
    ['MONGODB_URI', 'mongodb://app:word-7f@db1,DB2:27018,127.0.0.1/lightbox?replicaSet=rs0', 'db1, db2'],
    ['MONGODB_URI', 'mongodb://db1/lightbox?tls=false', 'db1'],
    ['MONGODB_URI', 'mongodb://db1/lightbox?tls=true&tlsAllowInvalidCertificates=true', 'db1'],
    ['MONGODB_URI', 'mongodb://db1/lightbox?tls=true&tlsinsecure=true', 'db1'],
    ['MONGODB_URI', 'mongodb+srv://db.hospital.org/lightbox?tls=false', 'db.hospital.org'],
    ['MONGODB_URI', 'mongodb+srv://db.hospital.org/lightbox?TLS=false', 'db.hospital.org'],
    ['BACKUP_MONGODB_URI', 'mongodb://backup:word-7f@db1/?replicaSet=rs0', 'db1'],
    ['REDIS_URL', 'redis://:word-7f@cache:6380/2', 'cache'],
    ['REDIS_URL', 'redis+sentinel://:word-7f@s1:26379,s2/master', 's1, s2'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector.intra:4318', 'collector.intra'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://collector.intra:4318/v1/traces', 'collector.intra'],
    ['PUSH_ORIGINS', 'https://push.intra,http://push2.intra:8080', 'push2.intra'],
    ['WEBHOOK_ORIGINS', 'http://ehr.intra:8080, http://127.0.0.1:9, http://ris.intra', 'ehr.intra, ris.intra'],
  ])('Production refuses %s=%s, which would send data unencrypted, unless its host is named.', (name, value, hosts) => {
    const env = { ...production, ...clear, AI_BASE_URL: 'https://ai.hospital.org', [name]: value };
    expect(refusal(env)).toContain(`  ${name} would send data unencrypted to ${hosts}: `);
    expect(refusal({ ...env, ALLOW_PLAINTEXT: hosts })).toBe('');
    expect(refusal({ ...env, ALLOW_PLAINTEXT: 'elsewhere' })).not.toBe('');
    expect(refusal({ ...env, NODE_ENV: 'development', PUBLIC_URL: undefined })).toBe('');
  });

  it.each([
    ['AI_BASE_URL', 'https://ai.hospital.org/v1'],
    ['AI_BASE_URL', 'http://localhost:11434/v1'],
    ['SMTP_URL', 'smtps://mail.hospital.org'],
    ['SMTP_URL', 'smtp://mail.hospital.org:587?requireTLS=true'],
    ['MONGODB_URI', 'mongodb://app:word-7f@db1,db2/lightbox?replicaSet=rs0&tls=true'],
    ['MONGODB_URI', 'mongodb://db1/lightbox?TLS=true'],
    ['MONGODB_URI', 'mongodb+srv://db.hospital.org/lightbox'],
    ['BACKUP_MONGODB_URI', 'mongodb://backup:word-7f@db1/?replicaSet=rs0&tls=true'],
    ['MONGODB_URI', 'mongodb://%2Ftmp%2Fmongodb-27017.sock/lightbox'],
    ['REDIS_URL', 'rediss://:word-7f@cache'],
    ['REDIS_URL', 'rediss+sentinel://:word-7f@s1,s2/master'],
    ['REDIS_URL', 'redis+sentinel://127.0.0.1,localhost/master'],
  ])('Production accepts %s=%s.', (name, value) => {
    expect(refusal({ ...production, ...clear, AI_BASE_URL: 'https://ai.hospital.org', [name]: value })).toBe('');
  });

  it('Production refuses a Node.js that checks no certificate.', () => {
    const unchecked = { ...production, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(refusal(unchecked)).toContain('  NODE_TLS_REJECT_UNAUTHORIZED must not be 0 in production');
    expect(refusal({ ...unchecked, NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toBe('');
  });

  it('Production finds the host of the DICOM receiver in ALLOW_PLAINTEXT, whatever the case of its letters.', () => {
    const receiver = { ...production, DICOM_PORT: '11112', DICOM_HOST: 'Scanner-Net' };
    expect(refusal(receiver)).toContain('  DICOM_TLS_CERT is missing');
    for (const named of ['cache, Scanner-Net', 'scanner-net']) {
      expect(refusal({ ...receiver, ALLOW_PLAINTEXT: named })).toBe('');
    }
  });

  it.each(['0.0.0.0/0', '::/0', '0.0.0.0/1,128.0.0.0/1', '::ffff:0.0.0.0/96', '2000::/3', '10.0.0.0/7', '99', 'true'])(
    'Production refuses TRUST_PROXY=%s, with which clients could choose their address.',
    (value) => expect(refusal({ ...production, TRUST_PROXY: value })).toContain('  TRUST_PROXY must '),
  );

  it.each(['1', 'loopback', '10.0.0.0/8,fd00::/8', '203.0.113.7', '104.16.0.0/13,2606:4700::/32'])(
    'Production accepts TRUST_PROXY=%s.',
    (value) => expect(refusal({ ...production, TRUST_PROXY: value })).toBe(''),
  );

  it('Production refuses the mail catcher of `npm start`, and names all faults in one message.', () => {
    const text = refusal({
      ...production,
      MAIL_INBOX_URL: 'http://127.0.0.1:1080/key/',
      REDIS_URL: 'redis://cache',
      TRUST_PROXY: '::/0',
      ALLOW_PLAINTEXT: 'https://cache',
    });
    const variables = text.split('\n').flatMap((line) => /^ {2}([A-Z_]+) /.exec(line)?.[1] ?? []);
    expect(variables.sort()).toEqual(['ALLOW_PLAINTEXT', 'REDIS_URL', 'SMTP_URL', 'TRUST_PROXY']);
  });

  it.each([
    ['ADMIN_PASSWORD', 'Change-me-1'],
    ['AI_API_KEY', '<your key>'],
    ['MONGODB_URI', 'mongodb://lightbox:change-me@db/lightbox?replicaSet=rs0'],
    ['BACKUP_MONGODB_URI', 'mongodb://backup:change-me@db/?replicaSet=rs0&tls=true'],
    ['REDIS_URL', 'redis://:password@cache:6379'],
    ['SMTP_URL', 'smtp://user:secret@mail.hospital.org'],
  ])('Production refuses the example in %s.', (name, value) => {
    expect(
      refusal({ ...production, ADMIN_EMAIL: 'a@b.org', ADMIN_PASSWORD: 'Correct-Horse-7', [name]: value }),
    ).toContain(`${name} holds an example`);
  });
});

it('The message about a missing admin names both variables.', () => {
  expect(noAdminMessage).toMatch(/ADMIN_EMAIL.*ADMIN_PASSWORD/);
});
