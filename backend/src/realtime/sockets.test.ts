import { randomUUID } from 'node:crypto';
import { inBackground } from '@lightbox/contract/automaticEvents.js';
import { limits } from '@lightbox/contract/limits.js';
import { AppError } from '@lightbox/core/errors.js';
import { broadcastMessages, dispatchMessages } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client, connectSocket, type TestSocket } from '../testing/client.js';
import {
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
  signIn,
} from '../testing/factories.js';
import { joinGateway } from '../testing/gateway.js';
import { useTwoGateways } from '../testing/useTwoGateways.js';

const { one, two, connect } = useTwoGateways();

const pair = async () => ({ patient: await buildPatient(one.gateway), provider: await buildProvider(one.gateway) });

interface Shown {
  id: string;
  seq: number;
  clientId?: string;
  content: string;
}
const data = (answer: { data?: unknown }) => answer.data as Shown;
const shown = (payloads: unknown[]) => payloads as Shown[];

describe('the handshake', () => {
  it.each([
    ['no token', {}],
    ['a bad token', { token: 'x.y.z' }],
    ['an object', { token: { $ne: null } }],
  ])('with %s is refused', async (_, auth) => {
    await expect(connectSocket(one.url, auth)).rejects.toThrow(/^Unauthenticated$/);
  });

  it('from a foreign origin is refused, from the product’s own it is not', async () => {
    const person = await buildPatient(one.gateway);
    for (const origin of ['https://evil.example', 'null', `${one.config.publicUrl}.evil.example`]) {
      const connecting = connectSocket(one.url, { token: person.token }, { origin });
      await expect(connecting, origin).rejects.toThrow(/^Unauthenticated$/);
    }
    const own = await connectSocket(one.url, { token: person.token }, { origin: one.config.publicUrl });
    own.socket.close();
  });

  it('with a token in the address alone is refused', async () => {
    const person = await buildPatient(one.gateway);
    const url = `${one.url}?token=${person.token}`;
    await expect(connectSocket(url, {})).rejects.toThrow('Unauthenticated');
  });
});

describe('messages', () => {
  it('sent by socket are acknowledged and shown on the other gateway, to all tabs of both sides', async () => {
    const { patient, provider } = await pair();
    const tabs = [await connect(one, patient), await connect(two, patient), await connect(two, provider)] as const;
    const clientId = randomUUID().toUpperCase();
    const sent = data(await tabs[0].ask('message:send', { recipientId: provider.id, content: ' Hi ', clientId }));
    expect(sent).toMatchObject({ content: 'Hi', clientId, senderId: patient.id, recipientId: provider.id, seq: 1 });
    for (const tab of tabs) expect(await tab.until('message:new')).toEqual([sent]);
  });

  it('sent by HTTP are shown live too, once', async () => {
    const { patient, provider } = await pair();
    const receiver = await connect(two, provider);
    const body = { recipientId: provider.id, content: 'Hi', clientId: randomUUID() };
    const answer = await new Client(one.url).as(patient).post('/message/send', body).expect(201);
    expect(await receiver.until('message:new')).toEqual([answer.body.data]);
  });

  it('messages that are handed over again, as after a crash, are shown once', async () => {
    const { patient, provider } = await pair();
    const receivers = [await connect(one, provider), await connect(two, provider)];
    const send = async (content: string) =>
      data(await (await connect(one, patient)).ask('message:send', { recipientId: provider.id, content }));
    const first = await send('first');
    const stored = await one.gateway.models.Message.findById(first.id).lean<MessageDoc>();
    for (const receiver of receivers) await receiver.until('message:new');
    await dispatchMessages(two.gateway, [stored as MessageDoc]);
    const second = await send('second');
    // Earlier events would be here by now: signals keep their order.
    for (const receiver of receivers) expect(await receiver.until('message:new', 2)).toEqual([first, second]);
  });

  it('a message that was handed over before its writer gave it a later seq is shown again with that seq', async () => {
    const { patient, provider } = await pair();
    const receivers = [await connect(one, provider), await connect(two, provider)];
    const body = { recipientId: provider.id, content: 'moved' };
    const first = data(await (await connect(one, patient)).ask('message:send', body));
    for (const receiver of receivers) await receiver.until('message:new');
    const { Message } = one.gateway.models;
    const moved = await Message.findByIdAndUpdate(first.id, { seq: first.seq + 3 }, { returnDocument: 'after' });
    await dispatchMessages(two.gateway, [moved?.toObject() as MessageDoc]);
    const both = [first, { ...first, seq: first.seq + 3 }];
    for (const receiver of receivers) expect(await receiver.until('message:new', 2)).toEqual(both);
  });

  it('a message whose hand-over must be repeated for one person is shown once to the other', async () => {
    const { patient, provider } = await pair();
    const receiver = await connect(one, provider);
    const sender = await connect(one, patient);
    const { elections } = one.gateway;
    const { steady } = elections;
    let reads = 0;
    // MongoDB goes between the two reads.
    elections.steady = (work) =>
      ++reads === 2 ? Promise.reject(new AppError('UNAVAILABLE')) : (steady.call(elections, work) as never);
    onTestFinished(() => {
      elections.steady = steady;
    });
    const send = async (content: string) =>
      data(await sender.ask('message:send', { recipientId: provider.id, content }));
    const first = await send('first');
    for (const one of [receiver, sender]) await one.until('message:new');
    const second = await send('second');
    for (const one of [receiver, sender]) expect(await one.until('message:new', 2)).toEqual([first, second]);
  });

  it('a message that has its later seq already when it is handed over with the earlier one is shown once', async () => {
    const { patient, provider } = await pair();
    const sender = await connect(two, patient);
    const send = async (content: string) =>
      data(await sender.ask('message:send', { recipientId: provider.id, content }));
    const first = await send('first');
    await sender.until('message:new');
    const receiver = await connect(one, provider);
    const { Message } = one.gateway.models;
    const [early, late] = [first.seq + 1, first.seq + 3];
    const moved = (await Message.findByIdAndUpdate(first.id, { seq: late }, { returnDocument: 'after' }))?.toObject();
    await broadcastMessages(one.gateway, [{ ...(moved as MessageDoc), seq: early }]);
    await receiver.until('message:new');
    await dispatchMessages(one.gateway, [moved as MessageDoc]);
    const second = await send('second');
    expect(await receiver.until('message:new', 2)).toEqual([{ ...first, seq: late }, second]);
  });

  it('with one clientId from HTTP and both gateways’ sockets are one message', async () => {
    const { patient, provider } = await pair();
    const [a, b] = [await connect(one, patient), await connect(two, patient)];
    const body = { recipientId: provider.id, content: 'Once', clientId: randomUUID() };
    const http = () => new Client(two.url).as(patient).post('/message/send', body);
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        if (i % 3 === 0) return data((await http()).body).id;
        return data(await (i % 3 === 1 ? a : b).ask('message:send', body)).id;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    const chat = await new Client(one.url).as(provider).get(`/message/chat/${patient.id}`).expect(200);
    expect(chat.body.data).toHaveLength(1);
  });

  it('sent from both sides at once, 200 in all, are complete and in one order for everybody', async () => {
    const { patient, provider } = await pair();
    const sides = [await connect(one, patient), await connect(two, provider)] as const;
    const acknowledged = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const [side, to] = i % 2 ? ([sides[0], provider] as const) : ([sides[1], patient] as const);
        return data(await side.ask('message:send', { recipientId: to.id, content: `${i}`, clientId: randomUUID() }));
      }),
    );
    expect(new Set(acknowledged.map((message) => message.seq)).size).toBe(200);
    const ordered = acknowledged.toSorted((a, b) => a.seq - b.seq).map((message) => message.id);
    for (const side of sides) {
      const seen = shown(await side.until('message:new', 200));
      expect(seen.toSorted((a, b) => a.seq - b.seq).map((message) => message.id)).toEqual(ordered);
      expect(seen).toHaveLength(200);
    }
    const chat = await new Client(one.url).as(patient).get(`/message/chat/${provider.id}?limit=200`).expect(200);
    expect(chat.body.data.map((message: Shown) => message.id)).toEqual(ordered);
  });

  it('are marked as delivered and read on the sender’s side', async () => {
    const { patient, provider } = await pair();
    const [sender, reader] = [await connect(one, patient), await connect(two, provider)];
    const { id } = data(await sender.ask('message:send', { recipientId: provider.id, content: 'Hi' }));
    expect(await reader.ask('message:delivered', { ids: [id] })).toEqual({ data: null });
    expect(await sender.until('message:delivered')).toMatchObject([{ userId: provider.id, ids: [id] }]);
    expect(await reader.ask('message:read', { userId: patient.id, upTo: id })).toEqual({ data: null });
    expect(await sender.until('message:read')).toMatchObject([{ userId: provider.id, upTo: id }]);
    const chat = await new Client(one.url).as(patient).get(`/message/chat/${provider.id}`).expect(200);
    expect(chat.body.data[0]).toMatchObject({ deliveredAt: expect.any(String), readAt: expect.any(String) });
  });

  it('messages of other people cannot be marked, and people to whom one may not write get no events', async () => {
    const { patient, provider } = await pair();
    const third = await buildProvider(one.gateway);
    const [sender, stranger] = [await connect(one, patient), await connect(two, third)];
    const { id } = data(await sender.ask('message:send', { recipientId: provider.id, content: 'Hi' }));
    await stranger.ask('message:delivered', { ids: [id] });
    const other = await buildPatient(one.gateway);
    expect(await sender.ask('typing', { userId: other.id })).toMatchObject({ error: 'NOT_FOUND' });
    expect(await sender.ask('message:send', { recipientId: other.id, content: 'x' })).toMatchObject({
      error: 'NOT_FOUND',
    });
    const message = await one.gateway.models.Message.findById(id).lean();
    expect(message).not.toHaveProperty('deliveredAt');
    // The first message that reaches them is their own.
    await sender.ask('message:send', { recipientId: third.id, content: 'To you' });
    expect(shown(await stranger.until('message:new')).map(({ content }) => content)).toEqual(['To you']);
  });
});

describe('typing and presence', () => {
  it('reach the other side of a chat, on another gateway', async () => {
    const { patient, provider } = await pair();
    const watching = await connect(one, provider);
    await watching.ask('message:send', { recipientId: patient.id, content: 'Hi' });
    const arriving = await connect(two, patient);
    expect(await watching.until('presence')).toEqual([{ userId: patient.id, online: true }]);
    await arriving.ask('typing', { userId: provider.id });
    expect(await watching.until('typing')).toEqual([{ userId: patient.id }]);
    const list = await new Client(one.url).as(provider).get('/message/chat-list').expect(200);
    expect(list.body.data[0].user.online).toBe(true);
    arriving.socket.close();
    expect((await watching.until('presence', 2))[1]).toEqual({ userId: patient.id, online: false });
  });

  it('a person whose tab closes before its arrival is stored is offline', async () => {
    const { patient, provider } = await pair();
    const watching = await connect(one, provider);
    await watching.ask('message:send', { recipientId: patient.id, content: 'Hi' });
    const { presence } = two.gateway;
    const arrive = presence.arrive.bind(presence);
    const leaving = vi.spyOn(presence, 'leave');
    const arriving = vi.spyOn(presence, 'arrive').mockImplementationOnce(async (id) => {
      await eventually(() => expect(leaving.mock.settledResults[0]?.type).toBe('fulfilled'));
      return arrive(id);
    });
    onTestFinished(() => [arriving, leaving].forEach((spy) => void spy.mockRestore()));
    (await connect(two, patient)).socket.close();
    await expect.poll(() => arriving.mock.settledResults[0]?.type).toBe('fulfilled');
    await expect.poll(async () => (await presence.online([patient.id])).size).toBe(0);
    const offline = { userId: patient.id, online: false };
    expect(await watching.until('presence', 2)).toEqual([offline, offline]);
  });
});

describe('an event that cannot be understood', () => {
  it.each([
    ['nonsense', {}, 'NOT_FOUND'],
    ['__proto__', {}, 'NOT_FOUND'],
    ['message:new', {}, 'NOT_FOUND'],
    ['message:send', undefined, 'VALIDATION_FAILED'],
    ['message:send', 'text', 'VALIDATION_FAILED'],
    ['message:send', { recipientId: { $ne: 1 }, content: 'x' }, 'VALIDATION_FAILED'],
    ['message:send', { recipientId: 'a'.repeat(24), content: 'x', senderId: 'me' }, 'VALIDATION_FAILED'],
    ['message:delivered', { ids: [] }, 'VALIDATION_FAILED'],
    ['message:read', { userId: 5 }, 'VALIDATION_FAILED'],
    ['typing', [], 'VALIDATION_FAILED'],
  ])('the event %s with %j is acknowledged as %3$s', async (event, payload, error) => {
    const client = await connect(one, await buildPatient(one.gateway));
    expect(await client.ask(event, payload)).toMatchObject({ error, message: expect.any(String) });
  });

  it('an unknown event without an acknowledgement does no harm', async () => {
    const client = await connect(one, await buildPatient(one.gateway));
    client.socket.emit('nonsense');
    client.socket.emit('message:send', { content: 1 }, 'more');
    client.socket.emit('typing', () => undefined, 'last');
    expect(await client.ask('nonsense')).toMatchObject({ error: 'NOT_FOUND' });
  });

  it('a frame that is too large closes its socket', async () => {
    const client = await connect(one, await buildPatient(one.gateway));
    const closed = new Promise((resolve) => client.socket.once('disconnect', resolve));
    client.socket.emit('message:send', { content: 'x'.repeat(limits.socketFrameBytes + 1) });
    await closed;
  });

  it.each(['42["x",{]', '42[]', '42{}', '42[{}]', '4511-["x"]', '49', '451-["x",{"_placeholder":true,"num":9}]'])(
    'and the frame %s hurts nobody else',
    async (frame) => {
      const [bad, good] = [
        await connect(one, await buildPatient(one.gateway)),
        await connect(one, await buildPatient(one.gateway)),
      ];
      const engine = bad.socket.io.engine as unknown as { transport: { ws: { send: (text: string) => void } } };
      engine.transport.ws.send(frame);
      expect(await good.ask('nonsense')).toMatchObject({ error: 'NOT_FOUND' });
    },
  );
});

describe('a session that ends', () => {
  const admin = () => buildAdmin(one.gateway);
  const endings: [string, (person: Person) => Promise<unknown>][] = [
    ['logout', (person) => new Client(one.url).as(person).post('/auth/logout', {}).expect(200)],
    [
      'deactivated',
      async ({ id }) =>
        new Client(one.url)
          .as(await admin())
          .put(`/users/toggleUserStatus/${id}`)
          .expect(200),
    ],
    [
      'deleted',
      async ({ id }) =>
        new Client(one.url)
          .as(await admin())
          .del(`/users/${id}`)
          .expect(200),
    ],
  ];
  // A second is the promise. On a busy machine one of three tries is enough.
  it.each(endings)(
    'a session that ends by %s is disconnected within a second on the other gateway',
    { retry: 2 },
    async (reason, end) => {
      const person = await buildPatient(one.gateway);
      const client = await connect(two, person);
      const closed = new Promise((resolve) => client.socket.once('disconnect', resolve));
      await end(person);
      const ended = Date.now();
      expect(await client.until('session:revoked')).toEqual([{ reason }]);
      await closed;
      expect(Date.now() - ended).toBeLessThan(whenBusy(1_000));
    },
  );

  it('leaves the person’s other sessions connected', async () => {
    const person = await buildPatient(one.gateway);
    const other = await connect(two, await signIn(one.gateway, person._id));
    const client = await connect(two, person);
    await new Client(one.url).as(person).post('/auth/logout', {}).expect(200);
    await client.until('session:revoked');
    expect(await other.ask('nonsense')).toMatchObject({ error: 'NOT_FOUND' });
  });

  it('events keep a session alive, but do not revive one that was idle for too long', async () => {
    const { patient, provider } = await pair();
    const [busy, idle] = [await connect(one, patient), await connect(one, provider)];
    const send = (from: TestSocket, to: Person) => from.ask('message:send', { recipientId: to.id, content: 'x' });
    one.clock.forward({ minutes: limits.sessionIdleMinutes - 1 });
    // Also the first event of a socket that was opened just now.
    const token = one.gateway.tokens.access(patient.id, String(patient.sessionId));
    const late = await connectSocket(one.url, { token });
    expect(await send(late, provider)).toHaveProperty('data');
    late.socket.close();
    one.clock.forward({ minutes: 2 });
    expect(await send(busy, provider)).toHaveProperty('data');
    one.clock.forward({ minutes: 2 });
    expect(await send(busy, provider)).toHaveProperty('data');
    // Refused, or closed already.
    expect(await send(idle, patient).catch((error) => error)).not.toHaveProperty('data');
    expect(await idle.until('session:revoked')).toEqual([{ reason: 'expired' }]);
    expect(await send(busy, provider)).toHaveProperty('data');
  });

  it('events that a client sends in the background do not keep a session alive, and all others do', async () => {
    const { patient, provider } = await pair();
    const client = await connect(one, patient);
    const from = await connect(one, provider);
    const message = data(await from.ask('message:send', { recipientId: patient.id, content: 'x' }));
    const image = await buildImage(one.gateway, { owner: patient });
    const seen = async () => (await one.gateway.models.Session.findById(patient.sessionId))?.lastSeenAt.getTime();
    const before = await seen();
    one.clock.forward({ minutes: limits.sessionIdleMinutes - 1 });
    for (const [name, payload] of [
      ['message:delivered', { ids: [message.id] }],
      ['message:read', { userId: provider.id, upTo: message.id }],
      ['view:join', { imageId: image.id }],
      ['view:leave', { imageId: image.id }],
      ['visible', { visible: true }],
    ] as const) {
      expect(await client.ask(name, payload, inBackground), name).toHaveProperty('data');
      expect(await seen(), name).toBe(before);
    }
    // They are no reason to overlook an act of the person either.
    expect(await client.ask('message:delivered', { ids: [message.id] })).toHaveProperty('data');
    await expect.poll(seen).toBeGreaterThan(before ?? 0);
  });

  it('an event in the background is refused when the session was idle for too long', async () => {
    const person = await buildPatient(one.gateway);
    const client = await connect(one, person);
    one.clock.forward({ minutes: limits.sessionIdleMinutes + 1 });
    expect(await client.ask('visible', { visible: true }, inBackground).catch((error) => error)).not.toHaveProperty(
      'data',
    );
  });

  it('a session that ended without a signal and without a worker is disconnected, however early its endedAt is', async () => {
    const person = await buildPatient(one.gateway);
    const client = await connect(two, person);
    const longAgo = new Date(one.clock.now().getTime() - 60_000);
    await one.gateway.models.Session.updateOne({ _id: person.sessionId }, { endedAt: longAgo, endReason: 'logout' });
    expect(await client.until('session:revoked')).toEqual([{ reason: 'logout' }]);
  });
});

describe('images and shares', () => {
  it('changes of images and shares are broadcast to those who may see them, without pixels', async () => {
    const owner = await buildProvider(one.gateway);
    const image = await buildImage(one.gateway, { owner });
    const recipient = await buildPatient(one.gateway);
    const [mine, theirs, stranger] = [
      await connect(one, owner),
      await connect(two, recipient),
      await connect(two, await buildProvider(one.gateway)),
    ];
    const api = new Client(one.url).as(owner);
    const { body } = await api
      .post('/sharing/request', { imagemetadataId: image.id, createdfor: recipient.id })
      .expect(201);
    const event = {
      sharingRequestId: body.data.id,
      imagemetadataId: image.id,
      createdfor: recipient.id,
      expiresAt: body.data.expiresAt,
    };
    expect(await theirs.until('share:created')).toEqual([event]);
    expect(await mine.until('share:created')).toEqual([event]);
    await api.del(`/sharing/${body.data.id}`).expect(200);
    expect(await theirs.until('share:revoked')).toEqual([event]);
    const share = await buildShare(one.gateway, { image, recipient });
    const verify = { sharingRequestId: share.id, verificationCode: share.code };
    await new Client(two.url).as(recipient).post('/sharing/verify', verify).expect(200);
    expect(await mine.until('share:verified')).toMatchObject([{ sharingRequestId: share.id }]);
    await api.del(`/upload/image/${image.id}`).expect(200);
    expect(await theirs.until('image:deleted')).toEqual([{ imagemetadataId: image.id }]);
    for (const name of ['share:created', 'share:revoked', 'share:verified', 'image:deleted']) {
      expect(stranger.seen(name), name).toEqual([]);
    }
  });
});

it('a changed setting is broadcast without its value, and applies on the other gateway by then', async () => {
  const people = [
    await buildPatient(one.gateway),
    await buildProvider(one.gateway),
    await buildAdmin(one.gateway),
  ] as const;
  const clients = await Promise.all(people.map((person) => connect(two, person)));
  const publicOf = async () => (await new Client(two.url).as(people[0]).get('/settings/public').expect(200)).body.data;
  expect((await publicOf())['sharing.expiryHours']).toBe(limits.shareHours);
  const admin = new Client(one.url).as(people[2]);
  const { body } = await admin.post('/appsetting/add', { name: 'sharing.expiryHours', value: '48' }).expect(201);
  for (const client of clients) expect(await client.until('settings:changed')).toEqual([{}]);
  expect((await publicOf())['sharing.expiryHours']).toBe(48);
  await admin.del('/appsetting/delete', { id: body.data.id }).expect(200);
});

it('two gateways that start on an empty database at once make one admin', async () => {
  const config = await testConfig({ admin: { email: 'only@hospital.test', password: 'Harbour-Lantern-42' } });
  const gateways = await Promise.all([joinGateway(config), joinGateway(config)]);
  expect(await gateways[0]?.gateway.models.User.countDocuments({ role: 'admin' })).toBe(1);
  await Promise.all(gateways.map((gateway) => gateway.stop()));
});
