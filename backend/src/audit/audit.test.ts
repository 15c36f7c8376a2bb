import { actionOf, auditActionNames, auditActions } from '@lightbox/contract/audit/actions.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { type Head, readHead } from '@lightbox/core/audit/head.js';
import { verifyAudit } from '@lightbox/core/audit/verify.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, NewEvent } from '@lightbox/core/events/events.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client } from '../testing/client.js';
import {
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
  wrong,
} from '../testing/factories.js';
import { buildGateway, joinGateway, type TestGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let admin: Person;

beforeEach(async () => {
  admin = await buildAdmin(test.gateway);
});

interface Row {
  id: string;
  actiontype: string;
  status: string;
  user: { id: string } | null;
  recordId?: string;
  recordIds?: string[];
  ipaddress: string;
  reason: string;
  seq: number;
}

/** Does the work of processes and workers, so that the log can be read after it. */
async function append(): Promise<void> {
  await test.gateway.signer.flush();
  await appendAudit(test.gateway.models, test.gateway.keys.audit);
}

async function logs(viewer: Person, query = ''): Promise<Row[]> {
  await append();
  return (await api.as(viewer).get(`/audit/logs?limit=100&${query}`).expect(200)).body.data;
}

describe('the log', () => {
  it('holds reads, changes and refusals once each, newest first, with who, what and how', async () => {
    const share = await buildShare(test.gateway);
    const { owner, id } = share.image;
    const patient = await buildPatient(test.gateway);
    await api.as(owner).get(`/upload/image/${id}`).expect(200);
    await api.as(owner).get(`/upload/image/${id}/content`).expect(200);
    await api.as(share.recipient).get(`/upload/image/${id}/content`).expect(403);
    const verify = { sharingRequestId: share.id, verificationCode: wrong(share.code) };
    await api.as(share.recipient).post('/sharing/verify', verify).expect(422);
    await api
      .as(share.recipient)
      .post('/sharing/verify', { ...verify, verificationCode: share.code })
      .expect(200);
    await api.as(patient).get(`/analyze/${id}`).expect(404);
    await api.as(owner).get(`/analyze/${id}`).expect(202);
    await api.as(owner).del(`/upload/image/${id}`).expect(200);

    const rows = (await logs(admin)).filter((row) => row.recordId === id);
    expect(rows.map((row) => [row.actiontype, row.status, row.user?.id])).toEqual([
      ['image.delete', 'success', owner.id],
      ['analysis.read', 'success', owner.id],
      ['analysis.request', 'success', owner.id],
      ['analysis.read', 'denied', patient.id],
      ['share.verify', 'success', share.recipient.id],
      ['share.verify', 'failed', share.recipient.id],
      ['image.content', 'denied', share.recipient.id],
      ['image.content', 'success', owner.id],
      ['image.read', 'success', owner.id],
    ]);
    expect(rows[0]).toMatchObject({ tablename: 'imagemetadata', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(rows[0]?.ipaddress).toMatch(/127\.0\.0\.1$/);
  });

  it('shows a provider what they did and what was done to their images, and no list or timeline that others read', async () => {
    const [mine, other] = [await buildProvider(test.gateway), await buildProvider(test.gateway)];
    const image = await buildImage(test.gateway, { owner: mine });
    const foreign = await buildImage(test.gateway, { owner: other });
    await api.as(admin).get('/upload/images?limit=2').expect(200);
    await api.as(admin).get(`/upload/image/${image.id}/timeline`).expect(200);
    await api.as(admin).get(`/upload/image/${image.id}`).expect(200);
    await api.as(admin).get(`/upload/image/${foreign.id}`).expect(200);
    await api.as(mine).get('/users/profile').expect(200);
    const rows = await logs(mine);
    expect(rows.map((row) => row.actiontype)).toEqual(['profile.read', 'image.read']);
    expect(rows[1]).toMatchObject({ user: { id: admin.id }, recordId: image.id });
    expect(new Set(rows.map(({ ipaddress }) => ipaddress)), 'addresses are for administrators').toEqual(new Set(['']));
    const exported = await api.as(mine).get('/audit/export?format=fhir').expect(200);
    expect(JSON.stringify(exported.body)).not.toContain('"network"');
    await api
      .as(await buildPatient(test.gateway))
      .get('/audit/logs')
      .expect(403);
    await api.as(mine).get('/audit/verify').expect(403);
  });

  it('names its records for viewers who may see them, and is filtered by record, by group and without lists', async () => {
    const share = await buildShare(test.gateway, { verified: true });
    const { image, recipient } = share;
    const code = { sharingRequestId: share.id, verificationCode: wrong(share.code) };
    await api.as(recipient).get('/upload/shared-images').expect(200);
    await api.as(recipient).get(`/upload/image/${image.id}`).expect(200);
    await api.as(recipient).post('/sharing/verify', code);
    const kinds = async (query: string, viewer = recipient) =>
      (await logs(viewer, query)).map(({ actiontype }) => actiontype);
    expect(await kinds('')).toEqual(['share.verify', 'image.read', 'image.list']);
    expect(await kinds('lists=false')).toEqual(['share.verify', 'image.read']);
    expect(await kinds('group=looks')).toEqual(['image.read']);
    expect(await kinds('group=shares')).toEqual(['share.verify']);
    expect(await kinds('group=administration')).toEqual([]);
    expect(await kinds(`record=${image.id}`, admin)).toEqual(['share.verify', 'image.read']);
    const named = async () => (await logs(recipient, `record=${image.id}`))[0];
    expect(await named()).toMatchObject({ object: { kind: 'image', name: expect.any(String) } });
    await test.gateway.models.Share.updateOne({ _id: share._id }, { $set: { live: false, endedAt: new Date() } });
    expect(await named()).not.toHaveProperty('object');
  });

  it('is searched by person, time and kind, and paged', async () => {
    const provider = await buildProvider(test.gateway);
    for (let i = 0; i < 5; i++) await api.as(provider).get('/users/profile').expect(200);
    const kinds = (rows: Row[]) => rows.map((row) => row.actiontype);
    expect(kinds(await logs(admin, `search=${provider.username}`))).toEqual(Array(5).fill('profile.read'));
    expect(kinds(await logs(provider, 'actiontype=audit.list'))).toEqual([]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await logs(provider, `from=${today}&to=${today}&actiontype=profile.read`)).toHaveLength(5);
    expect(await logs(provider, 'from=2999-01-01')).toEqual([]);
    const page = async (query: string) =>
      (await api.as(provider).get(`/audit/logs?actiontype=profile.read&limit=2&${query}`).expect(200)).body;
    const first = await page('');
    const second = await page(`cursor=${first.pagination.nextCursor}`);
    const back = await page(`cursor=${second.pagination.prevCursor}`);
    expect(back.data).toEqual(first.data);
    expect(first.pagination).toMatchObject({ totalItems: 5, totalPages: 3 });
    for (const bad of ['from=2026-02-02&to=2026-01-01', 'from=yesterday', 'actiontype=x', 'limit=101']) {
      await api.as(admin).get(`/audit/logs?${bad}`).expect(422);
    }
  });

  it('an administrator can filter the log and its exports by one person', async () => {
    const [one, other] = [await buildProvider(test.gateway), await buildProvider(test.gateway)];
    for (const person of [one, other, one]) await api.as(person).get('/users/profile').expect(200);
    await api.as(one).get('/upload/my-images').expect(200);
    const of = (rows: Row[]) => rows.map((row) => [row.actiontype, row.user?.id]);
    const deeds = await logs(admin, `user=${one.id}`);
    expect(new Set(of(deeds).map(([, id]) => id))).toEqual(new Set([one.id]));
    const reads = await logs(admin, `user=${one.id}&actiontype=profile.read&status=success`);
    expect(of(reads)).toEqual(Array(2).fill(['profile.read', one.id]));
    expect(await logs(admin, `user=${one.id}&status=denied`)).toEqual([]);
    const file = await api.as(admin).get(`/audit/export?user=${one.id}&actiontype=profile.read`).expect(200);
    expect(file.text.match(/profile\.read/g)).toHaveLength(2);
    expect(file.text).not.toContain(other.id);
    expect(await logs(admin, `user=${'0'.repeat(24)}`)).toEqual([]);
    await api.as(admin).get('/audit/logs?user=sana').expect(422);
    for (const path of ['logs', 'export']) {
      const { body } = await api.as(one).get(`/audit/${path}?user=${one.id}`).expect(422);
      expect(body.errors).toMatchObject([{ field: 'user' }]);
    }
  });

  it('the log contains no text that people wrote and no personal data', async () => {
    const provider = await buildProvider(test.gateway);
    const image = await buildImage(test.gateway, { owner: provider, caption: 'Planted-Caption-5511' });
    await api.as(provider).get(`/upload/image/${image.id}`).expect(200);
    await append();
    const kept = JSON.stringify(await test.gateway.models.AuditEntry.find({ actor: provider._id }).lean());
    expect(kept).not.toContain('Planted-Caption-5511');
    expect(kept).not.toContain(provider.email);
  });

  it('failures without an account are counted per address, and those of many addresses together', async () => {
    const { anonymousFailures } = test.gateway;
    await anonymousFailures.flush();
    // The gateway writes the counts once a minute, which may be now.
    const flush = vi.spyOn(anonymousFailures, 'flush').mockResolvedValue();
    onTestFinished(() => flush.mockRestore());
    for (let i = 0; i < 3; i++) await api.post('/auth/login', { email: 'no@hospital.test', password: 'x' }).expect(401);
    for (let i = 0; i < 120; i++) anonymousFailures.count(new AppError('INVALID_CREDENTIALS'), `203.0.113.${i}`);
    flush.mockRestore();
    await anonymousFailures.flush();
    const rows = await logs(admin, 'actiontype=auth.failures');
    const local = rows.find(({ ipaddress }) => ipaddress.endsWith('127.0.0.1'));
    expect(local).toMatchObject({ user: null, status: 'failed', reason: 'INVALID_CREDENTIALS: 3' });
    expect(rows.find(({ ipaddress }) => ipaddress === '')?.reason).toBe('INVALID_CREDENTIALS: 71');
    expect(rows).toHaveLength(51);
  });
});

describe('the chain', () => {
  const verify = async () => (await api.as(admin).get('/audit/verify').expect(200)).body.data;

  it('the chain is intact, also when many processes append at once', async () => {
    const provider = await buildProvider(test.gateway);
    await Promise.all(Array.from({ length: 20 }, () => api.as(provider).get('/users/profile').expect(200)));
    await Promise.all([append(), append(), append()]);
    const entries = await test.gateway.models.AuditEntry.countDocuments();
    expect(await verify()).toEqual({ ok: true, checked: entries });
  });

  const tampering: [string, (third: AuditEntryDoc, fourth: AuditEntryDoc) => Promise<unknown>, string][] = [
    ['changed', ({ _id }) => entries().updateOne({ _id }, { $set: { reason: 'nothing to see' } }), 'changed'],
    ['of another status', ({ _id }) => entries().updateOne({ _id }, { $set: { status: 'other' } }), 'changed'],
    ['hidden from those it concerns', ({ _id }) => entries().updateOne({ _id }, { $set: { concerns: [] } }), 'changed'],
    ['deleted', ({ _id }) => entries().deleteOne({ _id }), 'missing'],
    [
      'moved',
      async (third, fourth) => {
        await entries().updateOne({ _id: third._id }, { $set: { seq: -1 } });
        await entries().updateOne({ _id: fourth._id }, { $set: { seq: 3 } });
        await entries().updateOne({ _id: third._id }, { $set: { seq: 4 } });
      },
      'changed',
    ],
  ];
  const entries = () => test.gateway.models.AuditEntry.collection;

  it.each(tampering)('names the first entry that was %s', async (_, tamper, reason) => {
    await append();
    const before = await test.gateway.models.AuditEntry.find({ seq: { $in: [3, 4] } })
      .sort({ seq: 1 })
      .lean<AuditEntryDoc[]>();
    const [third, fourth] = before as [AuditEntryDoc, AuditEntryDoc];
    await tamper(third, fourth);
    expect(await verify()).toEqual({ ok: false, checked: 2, firstBroken: 3, reason });
    await entries().deleteMany({ _id: { $in: [third._id, fourth._id] } });
    await entries().insertMany([third, fourth]);
    expect(await verify()).toMatchObject({ ok: true });
  });

  const heads = () => test.gateway.models.AuditHead.collection;
  const last = (n: number) => test.gateway.models.AuditEntry.find().sort({ seq: -1 }).limit(n).lean<AuditEntryDoc[]>();

  it('a verification reports that the newest entries were removed, and so do later ones', async () => {
    await append();
    const cut = await last(3);
    const first = cut.at(-1)?.seq ?? 0;
    await entries().deleteMany({ _id: { $in: cut.map(({ _id }) => _id) } });
    const broken = { ok: false, checked: first - 1, firstBroken: first, reason: 'missing' };
    expect(await verify()).toEqual(broken);
    // New entries do not take the numbers of those that are gone.
    await append();
    expect((await last(1))[0]?.seq).toBeGreaterThan(first + 2);
    expect(await verify()).toEqual(broken);
    await entries().insertMany(cut);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('a verification reports a head that was not signed with our keys', async () => {
    await append();
    const head = await heads().findOne({});
    const { length } = await entries().find().toArray();
    const [newest] = await last(1);
    await heads().updateOne({}, { $set: { seq: length - 1, hash: (await last(2))[1]?.hash } });
    await entries().deleteOne({ seq: length });
    expect(await verify()).toMatchObject({ ok: false });
    await entries().insertOne(newest as AuditEntryDoc);
    await heads().deleteMany({});
    await heads().insertOne(head as never);
    expect(await verify()).toEqual({ ok: true, checked: length });
  });

  it('a verification compares the chain with an anchored head, so that a restored older state is reported', async () => {
    const own = await buildGateway();
    const record = async () => {
      const { body } = await new Client(own.url)
        .as(await buildAdmin(own.gateway))
        .get('/users/profile')
        .expect(200);
      await appendAudit(own.gateway.models, own.gateway.keys.audit);
      return body;
    };
    await record();
    const older = (await own.gateway.models.AuditHead.collection.findOne({})) as unknown as { seq: number };
    await record();
    const noted = await readHead(own.gateway.models, own.gateway.keys.audit);
    await own.gateway.models.AuditEntry.collection.deleteMany({ seq: { $gt: older.seq } });
    await own.gateway.models.AuditHead.collection.replaceOne({}, older as never);
    const check = ({ gateway }: TestGateway, heads: Head[] = []) =>
      verifyAudit(gateway.models, gateway.keys.audit, { noted: heads });
    expect(await check(own), 'by the process that saw it').toMatchObject({ ok: false, firstBroken: older.seq + 1 });
    const later = await joinGateway(own.config);
    expect(await check(later)).toMatchObject({ ok: true });
    expect(await check(later, [noted as Head])).toMatchObject({ ok: false, firstBroken: older.seq + 1 });
    await later.stop();
    await own.stop();
  });
});

it('an action has the same table in the log, done or refused', async () => {
  const own = { id: newId(), ip: '192.0.2.7' };
  for (const type of auditActionNames) {
    const refs = Object.fromEntries((actionOf(type)?.refs ?? []).map((name) => [name.replace('?', ''), newId()]));
    await Promise.all([
      test.gateway.events.record(own, { type, refs } as NewEvent),
      test.gateway.events.record(own, { type, status: 'denied' }),
    ]);
  }
  const found = await test.gateway.models.Event.aggregate([
    { $match: { actor: own.id } },
    { $group: { _id: { type: '$type', table: '$table' }, count: { $sum: 1 } } },
    { $sort: { '_id.type': 1 } },
  ]);
  const declared = auditActionNames.map((type) => ({ _id: { type, table: auditActions[type].table }, count: 2 }));
  expect(found).toEqual(declared.sort((a, b) => (a._id.type < b._id.type ? -1 : 1)));
});

/** Never run: it is the compiler that refuses each of these. */
export function notEvents({ events }: TestGateway['gateway'], actor: Actor, share: ObjectId) {
  // @ts-expect-error: the table is the action's, and nobody writes it
  events.record(actor, { type: 'image.read', table: 'shares' });
  // @ts-expect-error: the mail of a new code needs the share
  events.record(actor, { type: 'share.resend' });
  // @ts-expect-error: another action's ref
  events.record(actor, { type: 'share.resend', refs: { share, code: share } });
  // @ts-expect-error: a refused action has no consequences, and so no refs
  events.record(actor, { type: 'share.resend', status: 'denied', refs: { share } });
}

it('an action that cannot be recorded does not happen', async () => {
  const { Event, Setting } = test.gateway.models;
  const collection = Event.collection.collectionName;
  // The database itself refuses every new event.
  await test.gateway.db.db?.command({ collMod: collection, validator: { never: { $exists: true } } });
  await api.as(admin).post('/appsetting/add', { name: 'unrecorded', value: 'x' }).expect(500);
  await api.as(admin).get('/users/profile').expect(500);
  await test.gateway.db.db?.command({ collMod: collection, validator: {} });
  expect(await Setting.exists({ name: 'unrecorded' })).toBeNull();
  await api.as(admin).post('/appsetting/add', { name: 'unrecorded', value: 'x' }).expect(201);
});
