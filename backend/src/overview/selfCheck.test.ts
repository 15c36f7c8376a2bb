import { type CheckFault, type CheckName, checkNames } from '@lightbox/contract/selfCheck/report.js';
import { findImage } from '@lightbox/core/access/images.js';
import { appendAndTell } from '@lightbox/core/audit/append.js';
import type { Config } from '@lightbox/core/config/config.js';
import { newId } from '@lightbox/core/db/ids.js';
import { checks } from '@lightbox/core/selfCheck/checks.js';
import { plant, uproot } from '@lightbox/core/selfCheck/planted.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Gateway } from '../context.js';
import { buildAdmin, buildImage, type Person } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let mailbox: Mailbox;
let admin: Person;

beforeAll(async () => {
  mailbox = await startMailbox();
  test.gateway.config.smtpUrl = mailbox.url;
  admin = await buildAdmin(test.gateway);
  await buildImage(test.gateway);
});
afterAll(() => mailbox?.stop());

const withConfig = (changes: Partial<Config>): Gateway => ({
  ...test.gateway,
  config: { ...test.gateway.config, ...changes },
});
const counts = () => {
  const { Image, Share, GuestLink, Emergency, Carer } = test.gateway.models;
  return Promise.all([Image, Share, GuestLink, Emergency, Carer].map((model) => model.collection.countDocuments()));
};

describe('the self-check', () => {
  it('has no report at first, then that of the last run, and leaves none of its records', async () => {
    const before = await counts();
    expect((await api.as(admin).get('/admin/self-check').expect(200)).body.data).toBeNull();
    const ran = (await api.as(admin).post('/admin/self-check', {}).expect(200)).body.data;
    expect(ran.checks.filter(({ state }: { state: string }) => state === 'failed')).toEqual([]);
    expect(ran).toMatchObject({ ok: true, at: expect.any(String) });
    expect(ran.checks.map(({ name }: { name: CheckName }) => name)).toEqual(checkNames);
    expect((await api.as(admin).get('/admin/self-check').expect(200)).body.data).toEqual(ran);
    expect(await counts()).toEqual(before);
    expect(await test.gateway.models.Event.countDocuments({ type: 'overview.checked', actor: admin._id })).toBe(1);
  });

  it('two calls at once run it once', async () => {
    const [a, b] = await Promise.all([1, 2].map(() => api.as(admin).post('/admin/self-check', {}).expect(200)));
    expect(a?.body).toEqual(b?.body);
  });

  it('removes the records that a crash left behind', async () => {
    const before = await counts();
    await plant(test.gateway);
    test.clock.forward({ minutes: 11 });
    await uproot(test.gateway);
    expect(await counts()).toEqual(before);
  });
});

/** Plants one fault, and returns the core that meets it and the way to undo it. */
type Plant = () => Promise<{ core?: Gateway; undo?: () => unknown }>;

const faults: [CheckName, CheckFault, string, Plant][] = [
  [
    'access',
    'wrongDecision',
    'a share that was revoked still opens the image',
    async () => {
      const { Share } = test.gateway.models;
      const insert = Share.collection.insertMany.bind(Share.collection);
      const spy = vi
        .spyOn(Share.collection, 'insertMany')
        .mockImplementation(((rows: object[]) => insert(rows.map((row) => ({ ...row, live: true })))) as never);
      return { undo: () => spy.mockRestore() };
    },
  ],
  [
    'audit',
    'brokenLog',
    'an entry was changed',
    async () => {
      const { models } = test.gateway;
      await test.gateway.events.record({ ip: '' }, { type: 'audit.verify' });
      await appendAndTell(test.gateway);
      const last = await models.AuditEntry.findOne().sort({ seq: -1 }).lean();
      const set = (ip: string) => models.AuditEntry.collection.updateOne({ seq: Number(last?.seq) }, { $set: { ip } });
      await set('192.0.2.1');
      return { undo: () => set(last?.ip ?? '') };
    },
  ],
  [
    'audit',
    'notNoted',
    'the folder of its heads is not there',
    async () => ({ core: withConfig({ auditAnchor: 'file:///nowhere/audit-heads' }) }),
  ],
  [
    'keys',
    'missingKey',
    'a record was sealed by a key that is gone',
    async () => {
      const { collection } = test.gateway.models.Image;
      const _id = newId();
      await collection.insertOne({ _id, dataKey: { keyId: 'gone' } } as never);
      return { undo: () => collection.deleteOne({ _id }) };
    },
  ],
  ['backup', 'noBackup', 'there is none in production', async () => ({ core: withConfig({ production: true }) })],
  [
    'backup',
    'oldBackup',
    'the last one is of the day before yesterday',
    async () => {
      const { Operation } = test.gateway.models;
      const at = new Date(test.clock.now().getTime() - 40 * 3_600_000);
      await Operation.create({ _id: 'backup', at });
      return { undo: () => Operation.deleteOne({ _id: 'backup' }) };
    },
  ],
  [
    'clocks',
    'clockApart',
    'this machine is three seconds ahead',
    async () => {
      const now = Date.now.bind(Date);
      const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_000);
      return { undo: () => spy.mockRestore() };
    },
  ],
  [
    'queues',
    'jobsWait',
    'a job has waited for an hour',
    async () => {
      const queue = test.gateway.queues.all.analysis;
      const job = await queue.add('analyseImage', {}, { timestamp: test.clock.now().getTime() - 3_600_000 });
      return { undo: () => job.remove() };
    },
  ],
  [
    'queues',
    'queuePaused',
    'a queue is paused',
    async () => {
      const queue = test.gateway.queues.all.mail;
      await queue.pause();
      return { undo: () => queue.resume() };
    },
  ],
  [
    'queues',
    'mayForget',
    'Redis removes keys when it is full',
    async () => {
      const { redis } = test.gateway;
      const info = redis.info.bind(redis);
      const spy = vi
        .spyOn(redis, 'info')
        .mockImplementation((async () => (await info()).replace('policy:noeviction', 'policy:allkeys-lru')) as never);
      return { undo: () => spy.mockRestore() };
    },
  ],
  [
    'mail',
    'unreachable',
    'the server does not answer',
    async () => ({ core: withConfig({ smtpUrl: 'smtp://127.0.0.1:9' }) }),
  ],
  [
    'receiver',
    'receiverAway',
    'a device is bound, and no receiver was ever ready',
    async () => {
      const { DicomNode } = test.gateway.models;
      const device = { title: 'CT1', addresses: [], user: admin._id, by: admin._id, createAt: test.clock.now() };
      const { _id } = await DicomNode.create({ _id: newId(), ...device });
      return { undo: () => DicomNode.deleteOne({ _id }) };
    },
  ],
  [
    'receiver',
    'receiverAway',
    'the receiver was ready five minutes ago',
    async () => {
      const { Operation } = test.gateway.models;
      await Operation.create({ _id: 'receiver', at: new Date(test.clock.now().getTime() - 5 * 60_000) });
      const dicom = { host: '127.0.0.1', port: 0, title: 'LIGHTBOX', tls: null };
      return { core: withConfig({ dicom }), undo: () => Operation.deleteOne({ _id: 'receiver' }) };
    },
  ],
  [
    'room',
    'nearlyFull',
    'less is free than the reserve',
    async () => {
      const { config } = test.gateway;
      config.reserveBytes = Number.MAX_SAFE_INTEGER;
      return { undo: () => Object.assign(config, { reserveBytes: null }) };
    },
  ],
  [
    'versions',
    'tooOld',
    'Redis is older than the product needs',
    async () => {
      const spy = vi.spyOn(test.gateway.redis, 'info').mockResolvedValue('redis_version:5.0.14\r\n');
      return { undo: () => spy.mockRestore() };
    },
  ],
  [
    'tls',
    'inClear',
    'Redis is on another machine',
    async () => ({ core: withConfig({ redisUrl: 'redis://cache.hospital.test:6379' }) }),
  ],
  [
    'tls',
    'inClear',
    'people connect without TLS',
    async () => ({ core: withConfig({ publicUrl: 'http://lightbox.hospital.test' }) }),
  ],
  [
    'tls',
    'unreachable',
    'nothing answers at the public address',
    async () => ({ core: withConfig({ publicUrl: 'https://127.0.0.1:9' }) }),
  ],
];

describe('a planted fault turns its check red:', () => {
  it.each(faults)('%s, %s: %s', async (name, fault, _, plantFault) => {
    expect((await checks[name](test.gateway)).state).not.toBe('failed');
    const { core = test.gateway, undo } = await plantFault();
    try {
      expect(await checks[name](core)).toMatchObject({ state: 'failed', fault });
    } finally {
      await undo?.();
    }
    expect((await checks[name](test.gateway)).state).not.toBe('failed');
  });

  it('every check has a planted fault', () => {
    expect([...new Set(faults.map(([name]) => name))].sort()).toEqual([...checkNames].sort());
  });

  it('the matrix of access stores what the rules read: an image that opens for its owner', async () => {
    const planted = await plant(test.gateway);
    const { models, clock } = test.gateway;
    expect(await findImage(models, planted.viewers.owner, planted.imageId, clock.now())).not.toBeNull();
    await uproot(test.gateway, planted);
    expect(await findImage(models, planted.viewers.owner, planted.imageId, clock.now())).toBeNull();
  });
});
