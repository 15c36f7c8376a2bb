import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeInspectors } from '@lightbox/backend/files/inspectionPool.js';
import { Client } from '@lightbox/backend/testing/client.js';
import {
  buildAdmin,
  buildPatient,
  buildProvider,
  mailedCode,
  PASSWORD,
  type Person,
} from '@lightbox/backend/testing/factories.js';
import { files } from '@lightbox/backend/testing/files.js';
import { firstAdmin, joinGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { kill, up } from '@lightbox/campaigns/chaos/servers.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { type Draft, GENESIS, place, remark } from '@lightbox/core/audit/entry.js';
import { type Head, keepHead } from '@lightbox/core/audit/head.js';
import type { Config, S3Config } from '@lightbox/core/config/config.js';
import { createCore } from '@lightbox/core/core.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { Models } from '@lightbox/core/models/models.js';
import { findMongod } from '@lightbox/launcher/binaries.js';
import { mongodServer } from '@lightbox/launcher/mongod.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { findVersitygw, startS3 } from '@lightbox/testkit/s3Server.js';
import { startServers, type TestServers } from '@lightbox/testkit/servers.js';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accountCommands, makeAccounts } from './accounts.js';

const root = join(import.meta.dirname, '../..');

interface Ended {
  status: number | null;
  said: string;
}

/** The compiled commands in `core/dist`. */
const commands = {
  backup: 'backup/backupCommand.js',
  restore: 'backup/restoreCommand.js',
  archive: 'audit/archiveCommand.js',
  verify: 'audit/verifyCommand.js',
} as const;

/** Runs a command of the product as its own process. `onSaid` gets all that it said so far. */
const command = (
  name: keyof typeof commands,
  args: string[],
  config: Config,
  env: Record<string, string> = {},
  onSaid: (said: string, stop: () => void) => void = () => undefined,
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'core/dist', commands[name]), ...args], {
      env: {
        PATH: process.env.PATH ?? '',
        MONGODB_URI: config.mongodbUri,
        REDIS_URL: config.redisUrl,
        SMTP_URL: config.smtpUrl,
        APP_KEYS: config.appKeys,
        ENCRYPTION_KEYS: config.encryptionKeys,
        BLOB_STORE: 'file',
        BLOB_DIR: config.blobs.dir ?? '',
        LOG_LEVEL: 'silent',
        ...env,
      },
    });
    let said = '';
    for (const output of [child.stdout, child.stderr])
      output.on('data', (part) => {
        said += part;
        onSaid(said, () => child.kill('SIGINT'));
      });
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, said }));
  });

/** Makes a key of age. Returns the file of the private key, and the public key. */
function ageKey(folder: string): { identity: string; recipient: string } {
  const identity = join(folder, 'identity.txt');
  const made = spawnSync('age-keygen', ['-o', identity], { encoding: 'utf8' });
  return { identity, recipient: /age1\w+/.exec(made.stderr)?.[0] ?? '' };
}

const newSecret = () => randomBytes(12).toString('hex');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** Returns the first script for mongosh of a page. */
const scriptOf = (page: string): string => /```js\n(.*?)```/s.exec(read(page))?.[1] ?? '';

/**
 * Starts a MongoDB with the account `root`, those of `infra/docker/mongo-user.js`, and those of the scripts in two pages, all with
 * one password. Returns the address for an account.
 */
async function startWithAccounts(folder: string, password: string): Promise<(account: string) => string> {
  mkdirSync(folder);
  const keyFile = join(folder, 'set.key');
  writeFileSync(keyFile, randomBytes(96).toString('base64'), { mode: 0o400 });
  const scripts = [
    read('infra/docker/mongo-user.js'),
    scriptOf('docs/operations/retention.md'),
    scriptOf('docs/operations/backup.md'),
  ];
  const commands = scripts.flatMap((script) => accountCommands(script, password));
  const port = await freePort();
  const plain = mongodServer(await findMongod(() => {}), folder, port, 0.25);
  const args = [...plain.args, '--keyFile', keyFile];
  const child = await up({ ...plain, args, answers: () => makeAccounts(port, password, commands) });
  onTestFinished(() => kill(child));
  return (account) => {
    const database = ['root', 'restorer'].includes(account) ? 'admin' : 'lightbox';
    return `mongodb://${account}:${password}@localhost:${port}/lightbox?replicaSet=rs0&authSource=${database}`;
  };
}

/** Stores the audit log of an installation that is seven years old: `count` entries that may be archived. */
async function storeOldLog(config: Config, count: number): Promise<void> {
  const core = await createCore(config, 'test');
  const { models, keys, clock } = core;
  const at = new Date(clock.now().getTime() - 7 * 366 * 24 * 3_600_000);
  const facts = { type: 'image.read', status: 'success', table: 'imagemetadata', ip: '', reason: '' } as const;
  let last: Head = { seq: 0, hash: GENESIS };
  for (let n = 0; n < count; n++) {
    const draft: Draft = n === 0 ? remark('audit.signed', at, 'STARTED') : { event: newId(), ...facts, at };
    const entry = place(keys.audit, draft, last);
    await models.AuditEntry.collection.insertOne(entry as never);
    last = entry;
  }
  await keepHead(models, keys.audit, last, true);
  await models.Setting.updateOne({ name: 'retention.auditDays' }, { $set: { value: '2190' } }, { upsert: true });
  await core.close();
}

const bucketEnv = ({ endpoint, region, bucket, accessKeyId, secretAccessKey }: S3Config): Record<string, string> => ({
  BLOB_STORE: 's3',
  BLOB_DIR: '',
  S3_ENDPOINT: endpoint ?? '',
  S3_REGION: region,
  S3_BUCKET: bucket,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
  S3_FORCE_PATH_STYLE: 'true',
});

/** Signs a person in at a restored product, where nobody has a session. */
async function signInAnew({ gateway, url }: TestGateway, { _id, email }: Person): Promise<string> {
  const api = new Client(url);
  const { body } = await api.post('/auth/login', { email, password: PASSWORD }).expect(200);
  const { code } = await mailedCode(gateway, _id);
  return (await api.as(body.data.token).post('/auth/confirm', { code }).expect(200)).body.data.token;
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('backup and restore', () => {
  let [source, target]: TestServers[] = [];
  let mailbox: Mailbox;
  let config: Config;
  const gateways: TestGateway[] = [];

  const joined = async (changes: Config) => {
    const gateway = await joinGateway(changes);
    gateways.push(gateway);
    return gateway;
  };

  beforeAll(async () => {
    [source, target, mailbox] = [await startServers(), await startServers(), await startMailbox()];
    const base = await testConfig({ rateLimits: false, smtpUrl: mailbox.url, admin: firstAdmin });
    const dir = join(base.dataDir, 'blobs');
    config = {
      ...base,
      mongodbUri: source.mongodbUri,
      redisUrl: `${source.redisUrl}/0`,
      blobs: { store: 'file', dir, s3: null },
    };
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.stop();
    await Promise.all([source?.stop(), target?.stop(), mailbox?.stop()]);
    await closeInspectors();
  });

  it('A backup made while people write is whole in another MongoDB.', { timeout: 240_000 }, async () => {
    const inFolder = await joined(config);
    const inMongo = await joined({ ...config, blobs: { ...config.blobs, store: 'gridfs' } });
    const { gateway } = inFolder;
    const admin = await buildAdmin(gateway);
    const [provider, patient] = [await buildProvider(gateway), await buildPatient(gateway)];
    const clients = [new Client(inFolder.url).as(provider), new Client(inMongo.url).as(provider)];

    /** The moment of the acknowledgement of each message and image. */
    const acknowledged = {
      messages: new Map<string, number>(),
      images: new Map<string, { at: number; sha: string }>(),
    };
    const send = async (client: Client, n: number) => {
      const { body } = await client
        .post('/message/send', { recipientId: patient.id, content: `Message ${n}` })
        .expect(201);
      acknowledged.messages.set(body.data.id, Date.now());
    };
    const upload = async (client: Client, n: number, length: number) => {
      const file = Buffer.concat([files.jpeg, Buffer.alloc(length, n)]);
      const { body } = await client.upload(file).expect(201);
      acknowledged.images.set(body.data.id, { at: Date.now(), sha: sha(file) });
    };
    for (let n = 0; n < 20; n++) for (const client of clients) await upload(client, n, 1_500_000);

    let writing = true;
    const writers = clients.map(async (client, i) => {
      for (let n = 0; writing; n++) {
        await send(client, n);
        if (n % 5 === 0) await upload(client, n, 50_000 + i);
      }
    });
    const signer = (async () => {
      while (writing) {
        for (const one of gateways) await one.gateway.signer.flush();
        await appendAudit(gateway.models, gateway.keys.audit);
      }
    })();

    const to = mkdtempSync(join(config.dataDir, 'to-'));
    const { identity, recipient } = ageKey(mkdtempSync(join(config.dataDir, 'age-')));
    const sealed = { BACKUP_RECIPIENT: recipient };

    const stopped = await command('backup', ['--to', to], config, sealed, (said, stop) => {
      if (said.includes('Reading the database')) stop();
    });
    expect(stopped).toMatchObject({ status: 130, said: expect.stringContaining('Nothing of it is left') });
    expect(readdirSync(to)).toEqual([]);

    const begun = Date.now();
    const backup = await command('backup', ['--to', to], config, sealed);
    const ended = Date.now();
    // Later ones are not in the backup: so the test sees a difference.
    for (const [n, client] of clients.entries()) await send(client, n);
    writing = false;
    await Promise.all([...writers, signer]);
    expect(backup, backup.said).toMatchObject({ status: 0 });
    expect(backup.said).not.toMatch(/Message|@|patient/);

    const [name = ''] = readdirSync(to);
    expect(readdirSync(to)).toHaveLength(1);
    const from = join(to, name);
    expect(readdirSync(from).sort()).toEqual(['blobs.tar.age', 'manifest.json', 'mongodb.archive.age']);
    for (const file of readdirSync(from)) expect(statSync(join(from, file)).mode & 0o777).toBe(0o600);
    const manifest = JSON.parse(readFileSync(join(from, 'manifest.json'), 'utf8'));
    const at = Date.parse(manifest.at);
    expect(at).toBeGreaterThan(begun);
    expect(at).toBeLessThanOrEqual(ended);

    const there = { ...config, mongodbUri: target?.mongodbUri ?? '', redisUrl: `${target?.redisUrl}/0` };
    const place: Config = { ...there, blobs: { ...config.blobs, dir: join(config.dataDir, 'restored') } };
    mkdirSync(place.blobs.dir ?? '');
    const restoreArgs = ['--from', from, '--mongodb-uri', place.mongodbUri, '--identity', identity];
    const damaged = join(to, 'damaged');
    mkdirSync(damaged);
    for (const file of readdirSync(from)) {
      const bytes = readFileSync(join(from, file));
      if (file.startsWith('mongodb')) bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(join(damaged, file), bytes);
    }
    const refused = await command('restore', ['--from', damaged, ...restoreArgs.slice(2)], place);
    expect(refused).toMatchObject({ status: 1, said: expect.stringContaining('changed or is damaged') });

    const restore = await command('restore', restoreArgs, place);
    expect(restore, restore.said).toMatchObject({ status: 0, said: expect.stringContaining('The restore is whole.') });
    expect(restore.said).not.toMatch(/FAILED|Message [0-9]/);
    const again = await command('restore', restoreArgs, place);
    expect(again).toMatchObject({ status: 1, said: expect.stringContaining('The target has records already') });

    const restored = await joined(place);
    const { models } = restored.gateway;
    const messages = new Set((await models.Message.find({}, { _id: 1 }).lean()).map(({ _id }) => String(_id)));
    const images = new Set((await models.Image.find({}, { _id: 1 }).lean()).map(({ _id }) => String(_id)));
    const before = [...acknowledged.messages].filter(([, time]) => time < at);
    expect(before.filter(([id]) => !messages.has(id))).toEqual([]);
    expect([...acknowledged.images].filter(([id, image]) => image.at < at && !images.has(id))).toEqual([]);
    const during = before.filter(([, time]) => time > begun).length;
    expect(during).toBeGreaterThan(0);
    expect(messages.size).toBeLessThan(acknowledged.messages.size);

    const api = new Client(restored.url);
    await api.as(admin).get('/users/profile').expect(401);
    const token = await signInAnew(restored, provider);
    for (const id of images) {
      const content = await api.as(token).get(`/upload/image/${id}/content`).responseType('blob').expect(200);
      expect(sha(content.body)).toBe(acknowledged.images.get(id)?.sha);
    }
    const bytes = manifest.files.reduce((sum: number, file: { bytes: number }) => sum + file.bytes, 0);
    process.stdout.write(
      `Backup: ${ended - begun} ms, ${bytes} bytes, ${manifest.blobs} blobs outside MongoDB; ${during} messages acknowledged meanwhile; ` +
        `restored ${messages.size} of ${acknowledged.messages.size} messages, ${images.size} images.\n${backup.said}${restore.said}`,
    );
  });

  it('A restore with slices of the oplog reaches the second that was asked for.', { timeout: 240_000 }, async () => {
    const third = await startServers();
    onTestFinished(() => third.stop());
    const inMongo: Config = { ...config, blobs: { store: 'gridfs', dir: null, s3: null } };
    const source = await joined({ ...inMongo, mongodbUri: inMongo.mongodbUri.replace('/lightbox', '/slices') });
    const own: Config = { ...source.gateway.config };
    const [provider, patient] = [await buildProvider(source.gateway), await buildPatient(source.gateway)];
    const client = new Client(source.url).as(provider);
    const settled = async () => {
      await source.gateway.signer.flush();
      await appendAudit(source.gateway.models, source.gateway.keys.audit);
    };
    const act = async (content: string) => {
      await client.post('/message/send', { recipientId: patient.id, content }).expect(201);
      await client.upload(Buffer.concat([files.jpeg, Buffer.from(content)])).expect(201);
      await settled();
    };
    const to = mkdtempSync(join(config.dataDir, 'slices-'));
    const { identity, recipient } = ageKey(mkdtempSync(join(config.dataDir, 'age-')));
    const env = { BLOB_STORE: 'gridfs', BLOB_DIR: '', BACKUP_RECIPIENT: recipient };
    const run = (args: string[]) => command('backup', ['--to', to, ...args], own, env);
    expect(await run(['--oplog'])).toMatchObject({ status: 1, said: expect.stringContaining('has no backup yet') });
    await act('before');
    // A passkey is added and removed again and again, so one unique value belongs to a new record each time. The first slice
    // begins before the backup, and brings records back that the backup no longer has.
    const passkeys = source.gateway.models.Passkey.collection;
    const passkey = { credentialId: 'one', user: new mongo.ObjectId() };
    const { insertedId } = await passkeys.insertOne(passkey);
    let last = insertedId;
    let changes = true;
    const changing = (async () => {
      while (changes) {
        await passkeys.updateOne({ _id: last }, { $set: { name: 'another' } });
        await passkeys.deleteOne({ _id: last });
        last = (await passkeys.insertOne({ ...passkey, _id: new mongo.ObjectId() })).insertedId;
      }
    })();
    const made = await run([]);
    changes = false;
    await changing;
    expect(made.said).toContain('The backup is whole');
    await act('wanted');
    expect(await run(['--oplog'])).toMatchObject({ status: 0 });
    await act('wanted too');
    // The oplog is cut at a second.
    const until = new Date(Math.ceil(Date.now() / 1000) * 1000);
    await sleep(until.getTime() - Date.now() + 5);
    await act('unwanted');
    expect(await run(['--oplog'])).toMatchObject({ status: 0 });

    const [slices, [name = '']] = [
      readdirSync(to).filter((one) => one.startsWith('lightbox-oplog-')),
      readdirSync(to).filter((one) => !one.startsWith('lightbox-oplog-')),
    ];
    expect(slices).toHaveLength(2);
    const there: Config = {
      ...own,
      mongodbUri: third.mongodbUri.replace('/lightbox', '/slices'),
      redisUrl: `${third.redisUrl}/0`,
    };
    for (const slice of slices) expect(readdirSync(join(to, slice)).sort()).toEqual(['oplog.bson.age', 'slice.json']);
    const named = ['--from', join(to, name), '--mongodb-uri', there.mongodbUri, '--identity', identity];
    const restore = (...more: string[]) => command('restore', [...named, ...more], there, env);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(await restore('--until', later)).toMatchObject({
      status: 1,
      said: expect.stringContaining('without a gap'),
    });
    expect(await restore('--until', '2020-01-01T00:00:00Z')).toMatchObject({
      status: 1,
      said: expect.stringContaining('choose an older backup'),
    });
    const restored = await restore('--until', until.toISOString());
    expect(restored.said).toContain('The restore is whole.');
    const { models } = (await joined(there)).gateway;
    const messages = await models.Message.find({}, { content: 1, seq: 1 }).sort({ seq: 1 }).lean();
    expect(messages).toHaveLength(3);
    expect(await models.Image.countDocuments()).toBe(3);
    expect(await models.Passkey.collection.find().toArray()).toMatchObject([{ ...passkey, _id: last }]);
    // Every unique index is there again.
    const uniqueOf = async (all: Models) =>
      Promise.all(
        Object.values(all).map(async ({ collection }: Models[keyof Models]) =>
          (await collection.indexes()).flatMap(({ unique, name }) => (unique ? [name] : [])).sort(),
        ),
      );
    expect(await uniqueOf(models)).toEqual(await uniqueOf(source.gateway.models));
  });

  it('Accounts with few rights archive the log, back it up with a bucket, and restore it elsewhere.', {
    timeout: 600_000,
  }, async () => {
    const folder = mkdtempSync(join(config.dataDir, 'accounts-'));
    const versitygw = findVersitygw() ?? '';
    const [bucket, bucketThere] = [
      await startS3(versitygw, join(folder, 's3')),
      await startS3(versitygw, join(folder, 's3-there')),
    ];
    for (const { stop } of [bucket, bucketThere]) onTestFinished(stop);
    const [at, atThere] = [
      await startWithAccounts(join(folder, 'mongo'), newSecret()),
      await startWithAccounts(join(folder, 'mongo-there'), newSecret()),
    ];
    const here: Config = {
      ...config,
      mongodbUri: at('lightbox'),
      redisUrl: `${source?.redisUrl}/1`,
      blobs: { store: 's3', dir: null, s3: bucket.config },
    };
    const there: Config = {
      ...here,
      mongodbUri: atThere('lightbox'),
      redisUrl: `${target?.redisUrl}/1`,
      blobs: { store: 's3', dir: null, s3: bucketThere.config },
    };
    await storeOldLog(here, 8);
    const busy = await joined(here);
    const [provider, patient] = [await buildProvider(busy.gateway), await buildPatient(busy.gateway)];
    const client = new Client(busy.url).as(provider);
    const settled = async () => {
      await busy.gateway.signer.flush();
      await appendAudit(busy.gateway.models, busy.gateway.keys.audit);
    };
    const send = async (content: string) => {
      await client.post('/message/send', { recipientId: patient.id, content }).expect(201);
      await settled();
    };
    const images = new Map<string, string>();
    for (const [n, length] of [10, 700_000, 2_500_000].entries()) {
      const file = Buffer.concat([files.jpeg, Buffer.alloc(length, n)]);
      images.set((await client.upload(file).expect(201)).body.data.id, sha(file));
    }
    await send('before');

    const archive = join(folder, 'log.jsonl');
    const asProduct = await command('archive', ['--to', archive], here, bucketEnv(bucket.config));
    expect(asProduct).toMatchObject({ status: 1, said: expect.stringContaining('Nothing is archived.') });
    expect(existsSync(archive)).toBe(false);
    const asArchive = { ...here, mongodbUri: at('archive') };
    const archived = await command('archive', ['--to', archive], asArchive, bucketEnv(bucket.config));
    expect(archived, archived.said).toMatchObject({
      status: 0,
      said: expect.stringContaining('8 entries were removed'),
    });
    await send('after the archive');
    const verify = (where: Config, s3: S3Config) => command('verify', ['--archive', archive], where, bucketEnv(s3));
    const intact = { status: 0, said: expect.stringContaining('The archives are intact, and the log continues them.') };
    expect(await verify(here, bucket.config)).toMatchObject(intact);

    const { identity, recipient } = ageKey(folder);
    const to = join(folder, 'to');
    const env = { ...bucketEnv(bucket.config), BACKUP_MONGODB_URI: at('backup'), BACKUP_RECIPIENT: recipient };
    const backup = await command('backup', ['--to', to], here, env);
    expect(backup, backup.said).toMatchObject({ status: 0 });
    await send('after the backup');
    const until = new Date(Math.ceil(Date.now() / 1000) * 1000);
    await sleep(until.getTime() - Date.now() + 5);
    await send('unwanted');
    const slice = await command('backup', ['--to', to, '--oplog'], here, env);
    expect(slice, slice.said).toMatchObject({ status: 0 });
    const from = join(to, readdirSync(to).find((name) => !name.startsWith('lightbox-oplog-')) ?? '');
    expect(readdirSync(from).sort()).toEqual(['blobs.tar.age', 'manifest.json', 'mongodb.archive.age']);

    const args = ['--from', from, '--mongodb-uri', atThere('restorer'), '--identity', identity];
    const restore = await command(
      'restore',
      [...args, '--until', until.toISOString()],
      there,
      bucketEnv(bucketThere.config),
    );
    expect(restore, restore.said).toMatchObject({ status: 0, said: expect.stringContaining('The restore is whole.') });

    // The accounts of the target have their own passwords, and not those of the old server.
    for (const account of ['root', 'lightbox', 'backup'])
      await (await mongo.MongoClient.connect(atThere(account))).close();
    const restored = await joined(there);
    const messages = await restored.gateway.models.Message.countDocuments();
    expect(messages).toBe(3);
    const api = new Client(restored.url).as(await signInAnew(restored, provider));
    for (const [id, hash] of images) {
      const { body } = await api.get(`/upload/image/${id}/content`).responseType('blob').expect(200);
      expect(sha(body)).toBe(hash);
    }
    expect(await verify(there, bucketThere.config)).toMatchObject(intact);
    process.stdout.write(`${asProduct.said}${archived.said}${backup.said}${slice.said}${restore.said}`);
  });
});
