import { Overview } from '@lightbox/contract/overview/calls.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { newId } from '@lightbox/core/db/ids.js';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { Worker } from 'bullmq';
import { beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import { buildAdmin, buildImage, buildProvider, buildShare, type Person } from '../testing/factories.js';
import { buildGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';
import { reasonOf } from './attention.js';

const { test } = useGateway();
let admin: Person;
let api: Client;

beforeAll(async () => {
  admin = await buildAdmin(test.gateway);
  api = new Client(test.url).as(admin);
});

async function overview(caller = api): Promise<Overview> {
  const { body } = await caller.get('/admin/overview').expect(200);
  return Overview.strict().parse(body.data);
}

/** A job of the mail queue that was tried for the last time, as a worker leaves it. */
async function failJob(said: string): Promise<string> {
  const queue = test.gateway.queues.all.mail;
  const job = await queue.add('sendMail', { eventId: String(newId()), template: 'verificationCode' }, { attempts: 1 });
  const connection = connectRedis(test.config.redisUrl, 'patient');
  const worker = new Worker('mail', async () => Promise.reject(new Error(said)), { connection });
  await new Promise<void>((resolve) => worker.once('failed', () => resolve()));
  await worker.close();
  connection.disconnect();
  return String(job.id);
}

describe('the overview', () => {
  it('the overview lists the tasks of an administrator, the oldest provider first', async () => {
    const created = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const [late, early] = [
      await buildProvider(test.gateway, { status: 'pending', createAt: created(1) }),
      await buildProvider(test.gateway, { status: 'pending', createAt: created(9) }),
    ];
    const locked = await buildShare(test.gateway, { tries: 5 });
    await buildShare(test.gateway, { tries: 5, verified: true });
    await buildShare(test.gateway, { tries: 5, hours: -1 });
    await buildShare(test.gateway, { tries: 4 });
    const { attention } = await overview();
    expect(attention.providers.count).toBe(2);
    expect(attention.providers.oldest.map(({ id }) => id)).toEqual([early.id, late.id]);
    expect(attention.lockedShares).toEqual({ count: 1, imageIds: [locked.image.id] });
  });

  it('the overview counts storage by type, live sessions, and the activity of each day', async () => {
    const fresh = await buildGateway();
    const someone = await buildAdmin(fresh.gateway);
    const caller = new Client(fresh.url).as(someone);
    const owner = await buildProvider(fresh.gateway);
    await buildImage(fresh.gateway, { owner, contentType: 'image/png', size: 10 });
    await buildImage(fresh.gateway, { owner, contentType: 'image/png', size: 5 });
    await buildImage(fresh.gateway, { owner, contentType: 'application/pdf', size: 100 });
    const actor = { id: owner._id, ip: '' };
    for (const type of ['image.upload', 'image.upload', 'auth.confirm', 'image.read'] as const) {
      await fresh.gateway.events.record(actor, { type });
    }
    await fresh.gateway.events.record(actor, { type: 'share.create', refs: { share: newId() } });
    await fresh.gateway.events.record(actor, { type: 'image.upload', status: 'denied' });
    await appendAudit(fresh.gateway.models, fresh.gateway.keys.audit);
    const now = await overview(caller);
    expect(now.storage).toEqual([
      { contentType: 'application/pdf', images: 1, bytes: 100 },
      { contentType: 'image/png', images: 2, bytes: 15 },
    ]);
    expect(now.liveSessions).toBe(2);
    expect(now.activity).toHaveLength(14);
    const day = fresh.clock.now().toISOString().slice(0, 10);
    expect(now.activity.at(-1)).toEqual({ day, uploads: 2, shares: 1, signIns: 1, analyses: 0 });
    expect(now.activity[0]).toMatchObject({ uploads: 0, shares: 0, signIns: 0, analyses: 0 });
    expect(now.service).toMatchObject({ mongodb: 'ok', redis: 'ok' });

    // A day later yesterday's numbers stand one place further, and are not lost when they are not counted again.
    fresh.clock.forward({ hours: 26 });
    const next = new Client(fresh.url).as(await buildAdmin(fresh.gateway));
    // The counts are cached for a moment; the sessions of the day before have ended when they are counted again.
    await expect.poll(async () => (await overview(next)).liveSessions).toBe(1);
    const later = await overview(next);
    const moved = later.activity.find((row) => row.day === day);
    expect(moved).toEqual({ day, uploads: 2, shares: 1, signIns: 1, analyses: 0 });
    await fresh.stop();
  });

  it('is one entry of the log for the same people shown to the same session', async () => {
    const reads = () => test.gateway.models.Event.countDocuments({ type: 'overview.read', actor: admin._id });
    await overview();
    const before = await reads();
    await overview();
    expect(await reads()).toBe(before);
    const newcomer = await buildProvider(test.gateway, { status: 'pending', createAt: new Date(0) });
    await overview();
    expect(await reads()).toBe(before + 1);
    const last = await test.gateway.models.Event.findOne({ type: 'overview.read' }).sort({ _id: -1 }).lean();
    expect(last?.records?.map(String)).toContain(newcomer.id);
  });

  it('the overview shows the facts from MongoDB while Redis is unreachable', async () => {
    const alone = await buildGateway({ redisUrl: 'redis://127.0.0.1:9' });
    const caller = new Client(alone.url).as(await buildAdmin(alone.gateway));
    const now = await overview(caller);
    expect(now.queues).toBeNull();
    expect(now.attention.failedJobs).toBeNull();
    expect(now.service).toMatchObject({ mongodb: 'ok', redis: 'degraded' });
    expect(now.liveSessions).toBe(1);
    const refused = await caller.post('/admin/jobs/mail/1/retry', {}).expect(503);
    expect(refused.headers['retry-after']).toBeDefined();
    await alone.stop();
  });
});

describe('a failed job', () => {
  it('a failed job is shown without the mail server’s message, and can be retried once', async () => {
    const id = await failJob('connect ECONNREFUSED 10.1.2.3:25 for somebody@hospital.test');
    const before = await overview();
    expect(before.attention.failedJobs).toMatchObject({
      count: 1,
      newest: [{ id, queue: 'mail', name: 'sendMail', attempts: 1, reason: 'unreachable' }],
    });
    expect(JSON.stringify(before)).not.toContain('10.1.2.3');
    expect(before.queues?.find(({ queue }) => queue === 'mail')).toMatchObject({ failed: 1 });

    const path = `/admin/jobs/mail/${id}/retry`;
    const both = await Promise.all([api.post(path, {}), api.post(path, {})]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await overview()).attention.failedJobs?.count).toBe(0);
    const event = await test.gateway.models.Event.findOne({ type: 'job.retry', status: 'success' }).lean();
    expect(event).toMatchObject({ table: 'jobs', reason: `mail sendMail ${id}`, actor: admin._id });
  });

  it('an unknown job and an unknown queue are not found', async () => {
    await api.post(`/admin/jobs/mail/${newId()}/retry`, {}).expect(404);
    await api.post('/admin/jobs/__proto__/1/retry', {}).expect(404);
    await failJob('connect ECONNREFUSED');
    for (const own of ['events', 'meta', 'id', 'failed', 'wait'])
      await api.post(`/admin/jobs/mail/${own}/retry`, {}).expect(404);
    await api.post('/admin/jobs/mail/1/retry', { force: true }).expect(422);
  });

  it.each([
    ['job stalled more than allowable limit', 'stalled'],
    ['Connection timeout', 'timeout'],
    ["There is no job 'x'.", 'invalid'],
    ['Cannot read properties of undefined', 'other'],
  ])('because of "%s" is %s', (said, reason) => {
    expect(reasonOf(said)).toBe(reason);
  });
});
