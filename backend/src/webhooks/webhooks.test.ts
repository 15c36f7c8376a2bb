import { limits } from '@lightbox/contract/limits.js';
import type { WebhookDelivery } from '@lightbox/contract/webhooks/calls.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import type { WebhookDoc } from '@lightbox/core/models/webhook.js';
import { newDelivery } from '@lightbox/core/webhooks/deliveries.js';
import { describe, expect, it } from 'vitest';
import { buildAdmin, buildPatient, buildProvider, PASSWORD, type Person } from '../testing/factories.js';
import { profiled } from '../testing/profiled.js';
import { useGateway } from '../testing/useGateway.js';

const origin = 'http://127.0.0.1:9';
const { test, api } = useGateway({ webhookOrigins: [origin] });

const wish = { url: `${origin}/events`, events: ['share.created', 'image.uploaded'] };
const make = async (person: Person, path = '/webhooks') =>
  (await api.as(person).post(path, wish).expect(201)).body.data as { id: string; secret: string };
const list = async (person: Person, path = '/webhooks') => (await api.as(person).get(path).expect(200)).body.data;
const kept = (id: string) => test.gateway.models.Webhook.findById(oid(id)).lean();

/** Stores deliveries that are over. */
async function fill(webhook: string, count: number): Promise<void> {
  const { WebhookDelivery } = test.gateway.models;
  const now = test.gateway.clock.now();
  const rows = Array.from({ length: count }, (_, i) => {
    const news = { event: newId(), type: 'image.uploaded', data: { imageId: String(newId()) }, at: now } as const;
    const { nextTryAt: _n, ...delivery } = newDelivery(oid(webhook), news, new Date(now.getTime() + i));
    return { ...delivery, state: 'delivered' as const, tries: 1, status: 200 };
  });
  await WebhookDelivery.insertMany(rows);
}

describe('a webhook', () => {
  it('shows its secret once, which is stored sealed, and is listed', async () => {
    const person = await buildProvider(test.gateway);
    const { secret, ...made } = await make(person);
    expect(made).toEqual({
      id: made.id,
      url: wish.url,
      events: ['image.uploaded', 'share.created'],
      on: true,
      createAt: expect.any(String),
    });
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const stored = await kept(made.id);
    expect(JSON.stringify(stored)).not.toContain(bytes.toString('base64').slice(4, -4));
    expect(bufferOf((stored as WebhookDoc).secret.sealed).includes(bytes)).toBe(false);
    expect(await list(person)).toEqual([made]);
    const log = await test.gateway.models.Event.find({ type: 'webhook.created', record: oid(made.id) }).lean();
    expect(log).toMatchObject([{ actor: person._id, reason: '' }]);
  });

  it('is changed, turned off and deleted by its owner, and nobody else knows of it', async () => {
    const [person, other, admin] = [
      await buildProvider(test.gateway),
      await buildPatient(test.gateway),
      await buildAdmin(test.gateway),
    ];
    const { id } = await make(person);
    await fill(id, 1);
    const [delivery] = (await api.as(person).get(`/webhooks/${id}/deliveries`).expect(200)).body.data;
    for (const stranger of [other, admin]) {
      const as = api.as(stranger);
      expect(await list(stranger)).toEqual([]);
      await as.put(`/webhooks/${id}`, wish).expect(404);
      await as.put(`/webhooks/${id}/state`, { on: false }).expect(404);
      await as.post(`/webhooks/${id}/secret`, {}).expect(404);
      await as.post(`/webhooks/${id}/test`, {}).expect(404);
      await as.get(`/webhooks/${id}/deliveries`).expect(404);
      await as.post(`/webhooks/deliveries/${delivery.id}/replay`, {}).expect(404);
      await as.del(`/webhooks/${id}`).expect(404);
    }
    const mine = api.as(person);
    const changed = { url: `${origin}/others`, events: ['message.new'] };
    expect((await mine.put(`/webhooks/${id}`, changed).expect(200)).body.data).toMatchObject(changed);
    expect((await mine.put(`/webhooks/${id}/state`, { on: false }).expect(200)).body.data.on).toBe(false);
    await mine.post(`/webhooks/${id}/test`, {}).expect(409);
    await mine.post(`/webhooks/deliveries/${delivery.id}/replay`, {}).expect(409);
    await mine.del(`/webhooks/${id}`).expect(200);
    expect(await list(person)).toEqual([]);
    await mine.get(`/webhooks/${id}/deliveries`).expect(404);
    await mine.post(`/webhooks/deliveries/${delivery.id}/replay`, {}).expect(404);
  });

  it('of the installation belongs to all administrators, and stays when the one who made it leaves', async () => {
    const [first, second] = [await buildAdmin(test.gateway), await buildAdmin(test.gateway)];
    const made = await make(first, '/webhooks/installation');
    const own = await make(first);
    await api.as(first).del('/users/profile', { password: PASSWORD }).expect(200);
    expect(await list(second, '/webhooks/installation')).toMatchObject([{ id: made.id }]);
    expect(await kept(own.id)).toBeNull();
    await api.as(second).del(`/webhooks/${made.id}`).expect(200);
  });

  it.each([
    ['url', { url: 'https://127.0.0.1/x' }],
    ['url', { url: 'https://localhost/x' }],
    ['url', { url: 'http://example.org/x' }],
    ['url', { url: 'https://169.254.169.254/latest' }],
    ['url', { url: 'https://user:word@example.org/' }],
    ['url', { url: 'ftp://example.org/x' }],
    ['url', { url: `https://example.org/${'x'.repeat(limits.webhookUrlLength)}` }],
    ['events', { events: [] }],
    ['events.0', { events: ['auth.login'] }],
  ])('refuses %s: %j, and the address of a known one stays', async (field, change) => {
    const person = await buildProvider(test.gateway);
    const { id } = await make(person);
    for (const refused of [
      await api
        .as(person)
        .post('/webhooks', { ...wish, ...change })
        .expect(422),
      await api
        .as(person)
        .put(`/webhooks/${id}`, { ...wish, ...change })
        .expect(422),
    ]) {
      expect(refused.body.errors.map((one: { field: string }) => one.field)).toEqual([field]);
    }
    expect(await list(person)).toMatchObject([{ url: wish.url }]);
  });

  it('of the installation has a limit, also for two administrators at once', async () => {
    const admins = await Promise.all([1, 2, 3].map(() => buildAdmin(test.gateway)));
    const at = '/webhooks/installation';
    const left = limits.webhooks - (await list(admins[0] as Person, at)).length;
    for (let i = 1; i < left; i++) await make(admins[0] as Person, at);
    const answers = await Promise.all(admins.map((admin) => api.as(admin).post(at, wish)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await list(admins[0] as Person, at)).toHaveLength(limits.webhooks);
  });

  it('has a limit for each account, also for two devices at once', async () => {
    const person = await buildProvider(test.gateway);
    for (let i = 1; i < limits.webhooks; i++) await make(person);
    const answers = await Promise.all([1, 2, 3].map(() => api.as(person).post('/webhooks', wish)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await list(person)).toHaveLength(limits.webhooks);
  });
});

it.each([
  ['deleting the webhook', (id: string) => `/webhooks/${id}`, {}],
  ['closing its account', () => '/users/profile', { password: PASSWORD }],
])('The log of a webhook may be long, so %s leaves its deliveries to maintenance.', async (_, path, body) => {
  const person = await buildProvider(test.gateway);
  const { id } = await make(person);
  await fill(id, 1);
  const commands = await profiled(test.gateway.db, () => api.as(person).del(path(id), body).expect(200));
  const removals = commands.filter(({ op }) => op === 'remove').map(({ ns }) => ns.split('.').at(-1));
  expect(removals).toContain('webhooks');
  expect(removals).not.toContain('webhookdeliveries');
});

it('The deliveries of a webhook are paged by key, by its index, and the log of another is not in them.', async () => {
  const person = await buildProvider(test.gateway);
  const [one, other] = [await make(person), await make(person)];
  await fill(one.id, 25);
  await fill(other.id, 5);
  const found: WebhookDelivery[] = [];
  let cursor = '';
  for (let page = 0; page < 3; page++) {
    const { body } = await api.as(person).get(`/webhooks/${one.id}/deliveries?limit=10${cursor}`).expect(200);
    found.push(...body.data);
    cursor = `&cursor=${body.pagination.nextCursor}`;
  }
  expect(new Set(found.map(({ id }) => id)).size).toBe(25);
  expect(found.map(({ at }) => at)).toEqual(
    found
      .map(({ at }) => at)
      .sort()
      .reverse(),
  );
  const { WebhookDelivery } = test.gateway.models;
  const plan = await WebhookDelivery.find({ webhook: oid(one.id) })
    .sort({ createAt: -1, _id: -1 })
    .limit(10)
    .explain('executionStats');
  expect(plan).toMatchObject({ executionStats: { totalDocsExamined: 10 } });
});
