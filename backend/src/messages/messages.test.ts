import { randomUUID } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import { newId } from '@lightbox/core/db/ids.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildAdmin, buildPatient, buildProvider, type Person } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let patient: Person;
let provider: Person;

beforeEach(async () => {
  patient = await buildPatient(test.gateway);
  provider = await buildProvider(test.gateway);
});

const send = (from: Person, to: Person | string, content: unknown = 'Hello', rest: object = {}) =>
  api.as(from).post('/message/send', { recipientId: typeof to === 'string' ? to : to.id, content, ...rest });
const chat = async (viewer: Person, other: Person, query = '') =>
  (await api.as(viewer).get(`/message/chat/${other.id}${query}`).expect(200)).body.data as {
    id: string;
    content: string;
    seq: number;
  }[];

describe('sending', () => {
  it('a sent message is trimmed, and both sides see it', async () => {
    const { body } = await send(patient, provider, '  <b>Grüße</b> \u202E ').expect(201);
    expect(body.data).toMatchObject({
      senderId: patient.id,
      recipientId: provider.id,
      content: '<b>Grüße</b> \u202E',
      seq: 1,
    });
    expect(await chat(patient, provider)).toEqual(await chat(provider, patient));
  });

  it('a repeated clientId gives the same message, in upper or lower case and also at once', async () => {
    const clientId = randomUUID();
    const first = await send(patient, provider, 'Once', { clientId }).expect(201);
    const again = await send(patient, provider, 'Once', { clientId: clientId.toUpperCase() }).expect(200);
    expect(again.body.data.id).toBe(first.body.data.id);

    const other = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(patient, provider, 'x', { clientId: other })),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
    expect(await chat(provider, patient)).toHaveLength(2);
  });

  it('after a failover that lost the counter a message gets the next free seq', async () => {
    for (const content of ['1', '2', '3']) await send(provider, patient, content).expect(201);
    const { Conversation } = test.gateway.models;
    await Conversation.updateOne({ members: patient._id }, { $set: { seq: 1 } });
    const both = await Promise.all([send(patient, provider, '4'), send(patient, provider, '5')]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    const seqs = (await chat(patient, provider)).map(({ seq }) => seq);
    expect(seqs.slice(0, 3)).toEqual([1, 2, 3]);
    expect(new Set(seqs).size).toBe(5);
  });

  it('repeated sends with one Idempotency-Key are one message too', async () => {
    const key = randomUUID();
    const first = await send(patient, provider).set('Idempotency-Key', key).expect(201);
    const second = await send(patient, provider).set('Idempotency-Key', key).expect(200);
    expect(second.body.data.id).toBe(first.body.data.id);
  });

  it.each([[''], ['   '], ['x'.repeat(limits.messageLength + 1)], ['a\0b'], ['\ud800'], [5], [{ $gt: '' }], [null]])(
    'refuses the text %j',
    async (content) => {
      const { body } = await send(patient, provider, content).expect(422);
      expect(body.errors.map((error: { field: string }) => error.field)).toEqual(['content']);
    },
  );

  it('takes 4,000 letters', () => send(patient, provider, 'x'.repeat(limits.messageLength)).expect(201));

  it('a message reaches only people to whom the sender may write', async () => {
    await send(patient, await buildPatient(test.gateway)).expect(404);
    await send(patient, patient).expect(404);
    await send(patient, await buildProvider(test.gateway, { active: false })).expect(404);
    await send(patient, await buildProvider(test.gateway, { status: 'pending' })).expect(404);
    await send(patient, await buildAdmin(test.gateway)).expect(201);
    await send(provider, await buildAdmin(test.gateway)).expect(201);
    await api
      .as(patient)
      .post('/message/send', { recipientId: [provider.id], content: 'x' })
      .expect(422);
  });
});

describe('a chat', () => {
  it('a chat is shown in order of time, and can be paged back', async () => {
    for (let i = 1; i <= 7; i++) await send(i % 2 ? patient : provider, i % 2 ? provider : patient, `${i}`).expect(201);
    const texts = (messages: { content: string }[]) => messages.map((message) => message.content).join('');
    const newest = await chat(patient, provider, '?limit=3');
    expect(texts(newest)).toBe('567');
    const before = await chat(patient, provider, `?limit=3&before=${newest[0]?.id}`);
    expect(texts(before)).toBe('234');
    expect(texts(await chat(patient, provider, `?before=${before[0]?.id}`))).toBe('1');
    await api.as(patient).get(`/message/chat/${provider.id}?before=${newId()}`).expect(422);
    await api.as(patient).get(`/message/chat/${provider.id}?limit=201`).expect(422);
  });

  it('an empty chat can be opened and marked as read', async () => {
    expect(await chat(patient, provider)).toEqual([]);
    await api.as(patient).post(`/message/read/${provider.id}`, {}).expect(200);
    await api.as(patient).post(`/message/read/${patient.id}`, {}).expect(404);
  });

  it('both chat lists show the last message and the number of unread ones', async () => {
    const other = await buildProvider(test.gateway);
    await send(patient, provider, 'one').expect(201);
    const two = await send(patient, provider, 'two').expect(201);
    await send(other, provider, 'three').expect(201);
    const list = async (viewer: Person) => (await api.as(viewer).get('/message/chat-list').expect(200)).body.data;
    expect(await list(provider)).toMatchObject([
      { user: { id: other.id, role: 'healthProvider' }, lastMessage: { content: 'three' }, unread: 1 },
      { user: { id: patient.id, online: false }, lastMessage: { content: 'two', senderId: patient.id }, unread: 2 },
    ]);
    expect(await list(patient)).toMatchObject([{ user: { id: provider.id }, unread: 0 }]);
    const first = (await chat(provider, patient))[0]?.id;
    await api.as(provider).post(`/message/read/${patient.id}`, { upTo: first }).expect(200);
    expect((await list(provider))[1].unread).toBe(1);
    await api.as(provider).post(`/message/read/${patient.id}`).expect(200);
    expect((await list(provider))[1].unread).toBe(0);
    expect((await chat(patient, provider)).at(-1)).toMatchObject({ id: two.body.data.id, readAt: expect.any(String) });
    const foreign = (await send(other, patient, 'x')).body.data.id;
    await api.as(provider).post(`/message/read/${patient.id}`, { upTo: foreign }).expect(422);
  });

  it('a message that arrives late with an early seq counts as unread until it is read', async () => {
    await send(patient, provider, 'one').expect(201);
    const early = (await send(patient, provider, 'two').expect(201)).body.data;
    await api.as(provider).post(`/message/read/${patient.id}`).expect(200);
    // As it stands when another gateway took the place, and wrote after the reader had read the next.
    await test.gateway.models.Message.updateOne({ _id: early.id }, { $set: { seq: 0 }, $unset: { readAt: 1 } });
    const unread = async () => (await api.as(provider).get('/message/chat-list').expect(200)).body.data[0].unread;
    expect(await unread()).toBe(1);
    await api.as(provider).post(`/message/read/${patient.id}`).expect(200);
    expect(await unread()).toBe(0);
  });

  it('a chat stays when the other account is closed, and is then with ‘Deleted user’', async () => {
    await send(patient, provider, 'Goodbye').expect(201);
    await api
      .as(await buildAdmin(test.gateway))
      .del(`/users/${patient.id}`)
      .expect(200);
    const { body } = await api.as(provider).get('/message/chat-list').expect(200);
    expect(body.data[0].user).toEqual({ id: patient.id, firstname: 'Deleted', lastname: 'user', online: false });
    expect(await chat(provider, patient)).toHaveLength(1);
    await send(provider, patient).expect(404);
  });
});

describe('reading on', () => {
  const since = async (viewer: Person, query: string) =>
    (await api.as(viewer).get(`/message/since?${query}`).expect(200)).body.data as {
      messages: { id: string; content: string }[];
      cursor: string;
      more: boolean;
    };

  it('a cursor gives all own messages after it, in pages, and no others', async () => {
    await send(provider, patient, 'old').expect(201);
    const start = await since(patient, '');
    expect(start.messages.map((message) => message.content)).toEqual(['old']);
    for (let i = 0; i < 5; i++) await send(i % 2 ? patient : provider, i % 2 ? provider : patient, `${i}`).expect(201);
    await send(provider, await buildPatient(test.gateway), 'for somebody else').expect(201);

    const seen = new Map<string, string>();
    let { cursor, more } = { cursor: start.cursor, more: true };
    for (let pages = 0; more; pages++) {
      expect(pages).toBeLessThan(5);
      const page = await since(patient, `limit=2&cursor=${encodeURIComponent(cursor)}`);
      for (const message of page.messages) seen.set(message.id, message.content);
      ({ cursor, more } = page);
    }
    expect([...seen.values()]).toEqual(['old', '0', '1', '2', '3', '4']);
    expect((await since(patient, `cursor=${encodeURIComponent(cursor)}`)).more).toBe(false);
  });

  it('a cursor also finds later messages with an earlier time, as from a machine that was suspended', async () => {
    await send(provider, patient, 'before').expect(201);
    const { cursor } = await since(patient, '');
    const late = (await send(provider, patient, 'late').expect(201)).body.data.id;
    const createAt = new Date(test.clock.now().getTime() - 100_000);
    await test.gateway.models.Message.updateOne({ _id: late }, { createAt });
    const { messages } = await since(patient, `cursor=${encodeURIComponent(cursor)}`);
    expect(messages.map(({ content }) => content)).toContain('late');
  });

  it('a cursor of another person is refused', async () => {
    const { cursor } = await since(patient, '');
    await api
      .as(provider)
      .get(`/message/since?cursor=${encodeURIComponent(cursor)}`)
      .expect(422);
    await api.as(patient).get('/message/since?limit=201').expect(422);
  });
});
