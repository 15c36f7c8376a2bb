import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeInspectors } from '@lightbox/backend/files/inspectionPool.js';
import { Client } from '@lightbox/backend/testing/client.js';
import { buildAdmin, buildPatient, buildProvider, mailedCode, PASSWORD } from '@lightbox/backend/testing/factories.js';
import { files } from '@lightbox/backend/testing/files.js';
import { firstAdmin, joinGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import type { Config } from '@lightbox/core/config/config.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { startServers, type TestServers } from '@lightbox/testkit/servers.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');

interface Ended {
  status: number | null;
  said: string;
}

/** Runs a command of the product as its own process. `onSaid` gets all that it said so far. */
const command = (
  name: 'backup' | 'restore',
  args: string[],
  config: Config,
  env: Record<string, string> = {},
  onSaid: (said: string, stop: () => void) => void = () => undefined,
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, `core/dist/backup/${name}Command.js`), ...args], {
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
    const identity = join(to, '..', 'identity.txt');
    const made = spawnSync('age-keygen', ['-o', identity], { encoding: 'utf8' });
    const recipient = /age1\w+/.exec(made.stderr)?.[0] ?? '';
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
    const { body } = await api.post('/auth/login', { email: provider.email, password: PASSWORD }).expect(200);
    const { code } = await mailedCode(restored.gateway, provider._id);
    const { token } = (await api.as(body.data.token).post('/auth/confirm', { code }).expect(200)).body.data;
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
    const plainEnv = { BLOB_STORE: 'gridfs', BLOB_DIR: '' };
    const run = (args: string[]) => command('backup', ['--to', to, ...args], own, plainEnv);
    expect(await run(['--oplog'])).toMatchObject({ status: 1, said: expect.stringContaining('has no backup yet') });
    await act('before');
    const made = await run([]);
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
    const restore = (...more: string[]) =>
      command('restore', ['--from', join(to, name), '--mongodb-uri', there.mongodbUri, ...more], there, plainEnv);
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
  });
});
