import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { Client } from '@lightbox/backend/testing/client.js';
import { buildAdmin, buildShare } from '@lightbox/backend/testing/factories.js';
import { buildGateway } from '@lightbox/backend/testing/gateway.js';
import { kill, up } from '@lightbox/campaigns/chaos/servers.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { redisAddress } from '@lightbox/core/config/redisUrl.js';
import { isAway } from '@lightbox/core/db/away.js';
import { connectDatabase } from '@lightbox/core/db/connect.js';
import { findMongod, findValkey } from '@lightbox/launcher/binaries.js';
import { mongodServer } from '@lightbox/launcher/mongod.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { valkeyServer } from '@lightbox/launcher/valkey.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { Redis } from 'ioredis';
import { mongo } from 'mongoose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { accountCommands, makeAccounts } from './accounts.js';
import { type RunningProcess, spawnProcess } from './testing.js';

/**
 * Databases that accept only TLS, with a hospital's own CA and an account for the product (security.md, R42). Certificates,
 * accounts and MongoDB's options are those of the containers. The Valkey of the tests has no TLS, so a TLS proxy is in front.
 */
const admin = { email: 'admin@tls.example', password: 'Secure-password-1' };
const secret = randomBytes(12).toString('hex');
const children: ChildProcess[] = [];
let processes: RunningProcess[] = [];
let folder: string;
/** The content of `/run/lightbox` in the containers. */
let volumes: string;
let mailbox: Mailbox;
let mongodb: string;
let redis: string;
/** In front of Valkey, and of its sentinel. */
const terminators: Server[] = [];
let valkeyPort: number;

const docker = join(import.meta.dirname, '../docker');

/** Root can have exactly the rights of the container `prepare`. */
const asContainer = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0;

/** Makes the certificates and the key of the replica set as for the containers, owned by the user who runs the tests. */
function prepare(): void {
  for (const volume of ['ca', 'mongo', 'valkey', 'caddy', 'renderer'])
    mkdirSync(join(volumes, volume), { recursive: true });
  const own = `${process.getuid?.()}:${process.getgid?.()}`;
  const renderer = asContainer ? '10001:10001' : own;
  const env = { ...process.env, MONGO_OWNER: own, VALKEY_OWNER: own, WEB_OWNER: own, RENDERER_OWNER: renderer };
  const rights = asContainer ? ['setpriv', '--bounding-set', '-all,+chown'] : [];
  const [program = '', ...args] = [...rights, 'sh', join(docker, 'prepare.sh'), volumes];
  execFileSync(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}
const read = (name: string): string => readFileSync(join(volumes, name), 'utf8');

/** Returns the options of MongoDB in docker-compose.yml, with this folder. */
const mongoArguments = () =>
  (parse(readFileSync(join(docker, '../../docker-compose.yml'), 'utf8')).services.mongo.command as string[])
    .filter((argument) => /^--(keyFile|tls)/.test(argument))
    .map((argument) => argument.replace('/run/lightbox', volumes));

async function startMongod(): Promise<string> {
  const port = await freePort();
  const plain = mongodServer(await findMongod(() => {}), folder, port, 0.25);
  const args = [...plain.args, ...mongoArguments()];
  const script = readFileSync(join(docker, 'mongo-user.js'), 'utf8');
  const options = { tls: true, tlsCAFile: join(volumes, 'ca/ca.pem') };
  children.push(
    await up({ ...plain, args, answers: () => makeAccounts(port, secret, accountCommands(script, secret), options) }),
  );
  return `localhost:${port}/lightbox?replicaSet=rs0&authSource=lightbox`;
}

async function startValkey(): Promise<string> {
  const port = await freePort();
  const plain = valkeyServer(await findValkey(() => {}), folder, port);
  const accounts = join(folder, 'users.acl');
  // Leaves out the settings for TLS and paths.
  const settings = readFileSync(join(docker, 'valkey.conf'), 'utf8').replace(/^(port|tls-|dir|aclfile).*$/gm, '');
  writeFileSync(join(folder, 'valkey.conf'), settings);
  const config = [join(folder, 'valkey.conf'), ...plain.args.filter((_, i) => i < 4), '--dir', join(folder, 'valkey')];
  const start = [join(docker, 'valkey.sh'), accounts, plain.command, ...config, '--aclfile', accounts];
  process.env.REDIS_PASSWORD = secret;
  children.push(await up({ ...plain, command: 'sh', args: start }));
  delete process.env.REDIS_PASSWORD;
  valkeyPort = port;
  return encrypted(port);
}

/** Puts TLS in front of a port, and returns its address. */
async function encrypted(port: number): Promise<string> {
  const certificate = { cert: read('valkey/server.pem'), key: read('valkey/server.pem') };
  const terminator = createServer({ ...certificate, minVersion: 'TLSv1.2' }, (near) => {
    const far = connect(port, '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on('error', () => [near, far].map((each) => each.destroy()));
  });
  terminators.push(terminator);
  terminator.listen(0, 'localhost');
  await once(terminator, 'listening');
  return `localhost:${(terminator.address() as AddressInfo).port}`;
}

/**
 * Starts a sentinel that names the encrypted address of Valkey, and returns its own. It speaks no TLS to Valkey, takes it for
 * away, and names it all the same.
 */
async function startSentinel(): Promise<string> {
  const port = await freePort();
  const [host, at] = redis.split(':');
  const config = join(folder, 'sentinel.conf');
  const names = ['resolve-hostnames yes', 'announce-hostnames yes', `monitor lightbox ${host} ${at} 1`];
  const lines = [`port ${port}`, 'bind 127.0.0.1', ...names.map((name) => `sentinel ${name}`)];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const plain = valkeyServer(await findValkey(() => {}), folder, port);
  children.push(await up({ ...plain, args: [config, '--sentinel'], logFile: join(folder, 'logs', 'sentinel.log') }));
  return encrypted(port);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lightbox-tls-'));
  volumes = join(folder, 'volumes');
  if (!hasOpenssl) return;
  prepare();
  mailbox = await startMailbox();
  [mongodb, redis] = await Promise.all([startMongod(), startValkey()]);
});
afterEach(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  processes = [];
});
afterAll(async () => {
  for (const terminator of terminators) terminator.close();
  await Promise.all(children.map(kill));
  await mailbox?.stop();
  rmSync(folder, { recursive: true, force: true });
});
/** openssl makes the certificates. Some machines do not have it. */
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

const keys = { APP_KEYS: makeKeys(), ENCRYPTION_KEYS: makeKeys() };
const secured = () => ({
  MONGODB_URI: `mongodb://lightbox:${secret}@${mongodb}&serverSelectionTimeoutMS=1000&tls=true`,
  REDIS_URL: `rediss://lightbox:${secret}@${redis}`,
  NODE_EXTRA_CA_CERTS: join(volumes, 'ca/ca.pem'),
});
/** The process of this test does not have the CA either. */
const distrustful = secured;
const inClear = () => {
  const { MONGODB_URI, REDIS_URL } = secured();
  return { MONGODB_URI: MONGODB_URI.replace('&tls=true', ''), REDIS_URL: REDIS_URL.replace('rediss:', 'redis:') };
};

async function run(main: 'backend' | 'workers', servers: Record<string, string>) {
  const port = String(await freePort());
  const running = spawnProcess(main, {
    ...keys,
    SMTP_URL: mailbox.url,
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    DATA_DIR: folder,
    PORT: port,
    LOG_LEVEL: 'warn',
    ...servers,
  });
  processes.push(running);
  return { ...running, url: `http://127.0.0.1:${port}` };
}

describe.skipIf(!hasOpenssl)('databases that accept only TLS', () => {
  it('serve a product that trusts their CA and has an account', async () => {
    const [gateway, worker] = await Promise.all([run('backend', secured()), run('workers', secured())]);
    await Promise.all([gateway.ready, worker.ready]);
    await eventually(async () => {
      const { dependencies } = (await (await fetch(`${gateway.url}/readyz`)).json()) as { dependencies: object };
      expect(dependencies).toEqual({ mongodb: 'ok', redis: 'ok' });
    });
    const headers = { 'content-type': 'application/json' };
    const login = await fetch(`${gateway.url}/api/auth/login`, {
      method: 'POST',
      headers,
      body: JSON.stringify(admin),
    });
    expect(login.status).toBe(200);
    // The mail proves both connections: the job went through Redis, and the worker read the code from MongoDB.
    await mailbox.waitFor(admin.email, 'Your verification code');
  });

  it('are found by sentinels that accept only TLS too', async () => {
    const redisUrl = `rediss+sentinel://lightbox:${secret}@${await startSentinel()}/lightbox`;
    const gateway = await run('backend', { ...secured(), REDIS_URL: redisUrl });
    await gateway.ready;
    await eventually(async () => {
      const { dependencies } = (await (await fetch(`${gateway.url}/readyz`)).json()) as { dependencies: object };
      expect(dependencies).toEqual({ mongodb: 'ok', redis: 'ok' });
    });
  });

  it('give the product’s account every right that the product needs, but no change of the audit log', async () => {
    const mongodbUri = `mongodb://lightbox:${secret}@${mongodb}&tls=true&tlsCAFile=${join(volumes, 'ca/ca.pem')}`;
    const { gateway, url, stop } = await buildGateway({
      mongodbUri,
      appKeys: keys.APP_KEYS,
      encryptionKeys: keys.ENCRYPTION_KEYS,
    });
    const { models, recent } = gateway;
    try {
      const followed = vi.spyOn(recent, 'confirm');
      await expect.poll(() => followed.mock.calls.length).toBeGreaterThan(1);
      const { image } = await buildShare(gateway);
      const api = new Client(url);
      await api.as(image.owner).get(`/upload/image/${image.id}/content`).expect(200);
      await api.as(image.owner).del(`/upload/image/${image.id}`).expect(200);
      const changed = { $set: { changed: true } };
      const never = { _id: 'never' as never };
      for (const { collection, modelName } of Object.values(models)) {
        if (/^Audit/.test(modelName)) continue;
        await collection.updateOne(never, changed);
        await collection.deleteOne(never);
      }
      for (let i = 0; i < 2; i++) {
        await gateway.signer.flush();
        await appendAudit(models, gateway.keys.audit);
      }
      const asAdmin = api.as(await buildAdmin(gateway));
      expect((await asAdmin.get('/audit/verify').expect(200)).body.data).toMatchObject({ ok: true });
      const refused = { codeName: 'Unauthorized' };
      const log = models.AuditEntry.collection;
      await expect(log.deleteMany({ seq: { $gt: 3 } })).rejects.toMatchObject(refused);
      await expect(log.updateOne({ seq: 1 }, changed)).rejects.toMatchObject(refused);
      await expect(log.drop()).rejects.toMatchObject(refused);
      await expect(log.rename('elsewhere')).rejects.toMatchObject(refused);
      await expect(models.AuditHead.collection.deleteMany({})).rejects.toMatchObject(refused);
      await expect(models.AuditRun.collection.deleteMany({})).rejects.toMatchObject(refused);
      await expect(models.Image.aggregate([{ $limit: 1 }, { $out: 'auditlogs' }])).rejects.toMatchObject(refused);
    } finally {
      await stop();
    }
  });

  it('are refused by `migrate` while the product’s account has no right on a new collection', async () => {
    const options = { tls: true, tlsCAFile: join(volumes, 'ca/ca.pem') };
    const at = mongodb.replace('authSource=lightbox', 'authSource=admin');
    const root = await new mongo.MongoClient(`mongodb://root:${secret}@${at}`, options).connect();
    const command = join(import.meta.dirname, '../../core/dist/models/migrateCommand.js');
    const migrate = async () => {
      const env = { PATH: process.env.PATH, ...secured(), ...keys, SMTP_URL: mailbox.url, DATA_DIR: folder };
      const child = spawn(process.execPath, [command], { env });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part));
      const [code] = await once(child, 'close');
      return { code, said };
    };
    const db = root.db('lightbox');
    const { roles } = await db.command({ rolesInfo: 'lightbox', showPrivileges: true });
    const { privileges } = roles[0] as { privileges: { resource: { collection: string } }[] };
    const older = privileges.filter(({ resource }) => resource.collection !== 'webhooks');
    try {
      expect(older).toHaveLength(privileges.length - 1);
      await db.command({ updateRole: 'lightbox', privileges: older });
      expect(await migrate()).toEqual({
        code: 1,
        said: expect.stringMatching(/may not change these collections: webhooks\.\n/),
      });
      await db.command({ updateRole: 'lightbox', privileges });
      expect(await migrate()).toEqual({ code: 0, said: expect.stringContaining('The database is ready') });
    } finally {
      await root.close();
    }
  });

  it.each([
    ['does not trust their CA', distrustful],
    ['does not use TLS', inClear],
  ])(
    'are not reachable for a process that %s',
    async (_, servers) => {
      const { MONGODB_URI, REDIS_URL } = servers();
      const refused = await connectDatabase({ mongodbUri: MONGODB_URI }).catch((error: unknown) => error);
      // A process waits for it then, and says so (`startOrder.long.test.ts`).
      expect(isAway(refused), String(refused)).toBe(true);
      const client = new Redis({ ...redisAddress(REDIS_URL), lazyConnect: true, retryStrategy: () => null });
      client.on('error', () => undefined);
      await expect(client.connect()).rejects.toThrow();
      client.disconnect();
    },
    30_000,
  );

  it('allow the product all but the administration of Valkey, and clients without an account only PING', async () => {
    const as = async (username: string | undefined, work: (client: Redis) => Promise<unknown>) => {
      const account = username ? { username, password: secret } : {};
      const client = new Redis({ port: valkeyPort, ...account, retryStrategy: () => null, enableReadyCheck: false });
      return work(client).finally(() => client.disconnect());
    };
    // Valkey has denied no command of gateway and workers so far.
    expect(await as('lightbox', (client) => client.info('stats'))).toMatch(/acl_access_denied_cmd:0\r?\n/);
    const others = ['FLUSHALL', 'CONFIG GET dir', 'KEYS *', 'ACL LIST', 'SHUTDOWN NOSAVE', 'REPLICAOF NO ONE'];
    for (const [command = '', ...rest] of others.map((line) => line.split(' ')))
      await expect(as('lightbox', (client) => client.call(command, ...rest))).rejects.toThrow(/NOPERM/);
    expect(await as(undefined, (client) => client.ping())).toBe('PONG');
    for (const command of ['get', 'info'] as const)
      await expect(as(undefined, (client) => client[command]('x'))).rejects.toThrow(/NOPERM/);
  });

  it.each([
    [7, { state: 'failed', fault: 'certificateEnds' }],
    [60, { state: 'ok' }],
  ])(
    'the certificate of the public address ends in %s days: the self-check says so',
    async (days, expected) => {
      const [key, certificate, trusted] = ['public.key', 'public.pem', 'trusted.pem'].map((name) => join(folder, name));
      const made = [
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        String(days),
      ];
      const named = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
      execFileSync('openssl', ['req', ...made, ...named, '-keyout', String(key), '-out', String(certificate)], {
        stdio: 'ignore',
      });
      const pem = readFileSync(String(certificate));
      writeFileSync(String(trusted), Buffer.concat([readFileSync(secured().NODE_EXTRA_CA_CERTS), pem]));
      const site = createServer({ key: readFileSync(String(key)), cert: pem }, (socket) => socket.end());
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      try {
        const env = {
          ...secured(),
          ...keys,
          SMTP_URL: mailbox.url,
          DATA_DIR: folder,
          LOG_LEVEL: 'silent',
          NODE_EXTRA_CA_CERTS: String(trusted),
          PUBLIC_URL: `https://127.0.0.1:${(site.address() as AddressInfo).port}`,
        };
        const command = join(import.meta.dirname, '../../core/dist/selfCheck/command.js');
        const child = spawn(process.execPath, [command, '--json'], { env: { PATH: process.env.PATH, ...env } });
        let said = '';
        child.stdout.on('data', (part) => {
          said += part;
        });
        await once(child, 'close');
        const { checks } = JSON.parse(said) as { checks: { name: string }[] };
        expect(checks.find(({ name }) => name === 'tls')).toMatchObject(expected);
      } finally {
        site.close();
      }
    },
    60_000,
  );

  it('keep their certificates at the next start, readable only by themselves, and keep no key of the CA', () => {
    const kept = () =>
      ['ca/ca.pem', 'mongo/server.pem', 'mongo/set.key', 'mongo/root.password', 'valkey/server.pem'].map(read);
    const before = kept();
    prepare();
    expect(kept()).toEqual(before);
    for (const name of ['mongo/server.pem', 'mongo/set.key', 'mongo/root.password', 'valkey/server.pem'])
      expect(statSync(join(volumes, name)).mode & 0o777).toBe(0o400);
    expect(['ca', 'mongo', 'valkey'].map((volume) => readdirSync(join(volumes, volume)).sort())).toEqual([
      ['ca.pem'],
      ['root.password', 'server.pem', 'set.key'],
      ['server.pem'],
    ]);
  });
});
