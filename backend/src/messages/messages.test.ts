import { randomUUID } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import type { Attachment, Message } from '@lightbox/contract/messages/calls.js';
import { messageRules } from '@lightbox/contract/messages/policy.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { connectSocket } from '../testing/client.js';
import {
  type BuiltImage,
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
  shareCode,
} from '../testing/factories.js';
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
  (await api.as(viewer).get(`/message/chat/${other.id}${query}`).expect(200)).body.data as Message[];

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
    // Clients find their own messages by the id, and some write it in upper case.
    const upper = randomUUID().toUpperCase();
    const sent = await send(patient, provider, 'Upper', { clientId: upper }).expect(201);
    expect(sent.body.data.clientId).toBe(upper);
    expect((await chat(provider, patient)).map((message) => message.clientId)).toEqual([clientId, upper]);
    await send(patient, provider, 'Upper', { clientId: upper.toLowerCase() }).expect(200);

    const other = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(patient, provider, 'x', { clientId: other })),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
    expect(await chat(provider, patient)).toHaveLength(3);
  });

  it('is numbered after all others of its chat by a gateway that does not know it', async () => {
    for (const content of ['1', '2', '3']) await send(provider, patient, content).expect(201);
    test.gateway.knownChats.clear();
    const both = await Promise.all([send(patient, provider, '4'), send(patient, provider, '5')]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect((await chat(patient, provider)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('repeated sends with one Idempotency-Key are one message too', async () => {
    const key = randomUUID();
    const once = (to = provider, content = 'Once') => send(patient, to, content).set('Idempotency-Key', key);
    const [first, second] = [await once().expect(201), await once().expect(201)];
    expect(second.body).toEqual(first.body);
    // The key is not an id that the sender chose for the message.
    expect(first.body.data).not.toHaveProperty('clientId');
    for (const other of [once(provider, 'Another'), once(await buildProvider(test.gateway))]) {
      expect((await other.expect(422)).body.errors).toMatchObject([{ field: 'Idempotency-Key' }]);
    }
    await send(patient, provider, 'x').set('Idempotency-Key', 'no uuid').expect(422);
  });

  it('names every wrong field of a message at once', async () => {
    const fields = async (body: object) =>
      (await api.as(patient).post('/message/send', body).expect(422)).body.errors.map(
        (error: { field: string }) => error.field,
      );
    expect(await fields({})).toEqual(['recipientId', 'content']);
    expect(await fields({ content: '', images: [], clientId: 'x' })).toEqual([
      'images',
      'recipientId',
      'clientId',
      'content',
    ]);
    expect(await fields({ content: 'Hi' })).toEqual(['recipientId']);
    expect(await fields({ content: '', images: 'x', recipientId: provider.id })).toEqual(['images']);
    expect(await fields({ view: 'x', recipientId: provider.id })).toEqual(['view']);
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

describe('an answer', () => {
  it('quotes a message of the same chat as it is, to both people and in every read', async () => {
    const image = await buildImage(test.gateway, { owner: provider });
    const asked = (await send(patient, provider, `How is it?\n${'x'.repeat(200)}`).expect(201)).body.data;
    const shown = (await send(provider, patient, '', { images: [image.id] }).expect(201)).body.data;
    const first = await send(provider, patient, 'Better', { replyTo: asked.id.toUpperCase() }).expect(201);
    const second = await send(patient, provider, 'Thank you', { replyTo: shown.id }).expect(201);
    const words = { id: asked.id, senderId: patient.id, content: expect.stringMatching(/^How is it\?\nx+$/) };
    expect(first.body.data.replyTo).toEqual(words);
    expect(first.body.data.replyTo.content.length).toBeLessThan(200);
    expect(second.body.data.replyTo).toEqual({ id: shown.id, senderId: provider.id, content: '', images: 1 });
    for (const who of [patient, provider]) {
      const all = await chat(who, who === patient ? provider : patient, '?limit=2');
      expect(all).toMatchObject([{ replyTo: words }, { replyTo: { id: shown.id } }]);
      const { body } = await api.as(who).get('/message/since').expect(200);
      expect(body.data.messages.at(-1)).toMatchObject({ replyTo: { id: shown.id } });
    }
  });

  it('to a message of another chat, or to none, is refused and not sent', async () => {
    const other = await buildPatient(test.gateway);
    await send(provider, other, 'Between the two of us').expect(201);
    const [secret] = await chat(provider, other);
    for (const replyTo of [secret?.id, String(newId())]) {
      for (const who of [patient, provider]) {
        const { body, text } = await send(who, who === patient ? provider : patient, 'x', { replyTo }).expect(422);
        expect(body.errors).toMatchObject([{ field: 'replyTo' }]);
        expect(text).not.toContain('Between');
      }
    }
    expect(await chat(patient, provider)).toEqual([]);
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

  it('an account that the viewer may not see looks like none, also by the place of a message', async () => {
    const hidden = await buildPatient(test.gateway);
    for (const id of [hidden.id, String(newId())]) {
      for (const place of ['', `?before=${newId()}`])
        await api.as(patient).get(`/message/chat/${id}${place}`).expect(404);
      for (const before of [undefined, String(newId())]) {
        await api.as(patient).post(`/message/chat/${id}/search`, { text: 'x', before }).expect(404);
      }
    }
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
    // As it stands when a gateway of an older version took the place, and wrote after the reader had read the next.
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

describe('attached images', () => {
  const attach = (from: Person, to: Person, images: string[], rest: object = {}) =>
    api.as(from).post('/message/send', { recipientId: to.id, images, ...rest });
  const cardsOf = async (viewer: Person, other: Person): Promise<Attachment[]> =>
    ((await api.as(viewer).get(`/message/chat/${other.id}`).expect(200)).body.data as Message[]).flatMap(
      ({ attachments = [] }) => attachments,
    );
  const sharesOf = ({ _id }: BuiltImage) => test.gateway.models.Share.find({ image: _id, live: true }).lean();
  const shareWith = (image: BuiltImage, recipient: Person, verified: boolean) =>
    buildShare(test.gateway, { image, recipient, verified });

  it('The owner’s message shares its images as one act, and each reader’s card follows their access.', async () => {
    const images = [
      await buildImage(test.gateway, { owner: provider }),
      await buildImage(test.gateway, { owner: provider, dicom: { modality: 'CT' } }),
    ];
    const [one, two] = images as [BuiltImage, BuiltImage];
    const { data } = (await attach(provider, patient, [one.id, two.id, one.id]).expect(201)).body;
    const facts = { caption: 'Left hand, before the cast', contentType: 'image/png' };
    expect(data).toMatchObject({ content: '', attachments: [{ imageId: one.id, access: 'open', ...facts }, {}] });
    expect(data.attachments[1]).toEqual({ imageId: two.id, access: 'open', ...facts, modality: 'CT' });
    const [share] = await sharesOf(one);
    const mails = await test.gateway.models.Event.find({ 'refs.mailed': patient._id }).lean<EventDoc[]>();
    expect(mails).toHaveLength(1);
    const list = await api.as(patient).get('/message/chat-list').expect(200);
    expect(list.body.data[0].lastMessage).toMatchObject({ content: '', images: 2 });

    const locked = { imageId: one.id, access: 'locked', shareId: String(share?._id) };
    expect((await cardsOf(patient, provider))[0]).toEqual(locked);
    const verificationCode = await shareCode(test.gateway, share?._id ?? newId());
    await api.as(patient).post('/sharing/verify', { sharingRequestId: share?._id, verificationCode }).expect(200);
    expect((await cardsOf(patient, provider))[0]).toEqual({ imageId: one.id, access: 'open', ...facts });
    await api.as(provider).del(`/sharing/${share?._id}`).expect(200);
    expect((await cardsOf(patient, provider))[0]).toEqual({ imageId: one.id, access: 'none' });
    await api.as(provider).del(`/upload/image/${one.id}`).expect(200);
    for (const [viewer, other] of [
      [patient, provider],
      [provider, patient],
    ] as const) {
      expect((await cardsOf(viewer, other))[0]).toEqual({ imageId: one.id, access: 'none', deleted: true });
    }
  });

  it('A repeated message shares nothing again, also after its share was revoked, and also at once.', async () => {
    const image = await buildImage(test.gateway, { owner: provider });
    const clientId = randomUUID();
    const send = () => attach(provider, patient, [image.id], { clientId });
    const answers = await Promise.all(Array.from({ length: 5 }, send));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    const [share, ...others] = await sharesOf(image);
    expect(others).toEqual([]);
    await api.as(provider).del(`/sharing/${share?._id}`).expect(200);
    await send().expect(200);
    expect(await sharesOf(image)).toEqual([]);
    expect(await chat(patient, provider)).toHaveLength(1);
  });

  it('Two messages with one image at the same time are both sent, and share it once.', async () => {
    const image = await buildImage(test.gateway, { owner: provider });
    const answers = await Promise.all([1, 2, 3].map(() => attach(provider, patient, [image.id])));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await sharesOf(image)).toHaveLength(1);
    expect(await chat(patient, provider)).toHaveLength(3);
  });

  const senders = ['owner', 'admin', 'verified', 'unverified', 'stranger'] as const;
  const recipients = ['none', 'unverified', 'verified', 'owner'] as const;
  const refusals = { none: 'CANNOT_ATTACH', unverified: undefined, verified: undefined, owner: undefined };
  const pairs = senders.flatMap((sender) => recipients.map((recipient) => ({ sender, recipient })));
  it.each(pairs.filter(({ sender, recipient }) => sender !== 'owner' || recipient !== 'owner'))(
    'An image is attached as the policy says (sender: $sender, recipient: $recipient).',
    async ({ sender, recipient }) => {
      const owner = await buildProvider(test.gateway);
      const image = await buildImage(test.gateway, { owner });
      const from = sender === 'owner' ? owner : await (sender === 'admin' ? buildAdmin : buildProvider)(test.gateway);
      const to = recipient === 'owner' ? owner : await buildProvider(test.gateway);
      if (sender === 'verified' || sender === 'unverified') await shareWith(image, from, sender === 'verified');
      if (recipient === 'verified' || recipient === 'unverified') await shareWith(image, to, recipient === 'verified');
      const before = (await sharesOf(image)).length;

      const shares = (sender === 'owner' || sender === 'admin') && recipient === 'none';
      const error = { stranger: 'NOT_FOUND', unverified: 'NOT_VERIFIED', verified: refusals[recipient] };
      const expected = sender === 'owner' || sender === 'admin' ? undefined : error[sender];
      const check = await api
        .as(from)
        .post(`/message/chat/${to.id}/images`, { images: [image.id] })
        .expect(200);
      const access = { stranger: 'none', unverified: 'locked', verified: 'open', owner: 'open', admin: 'open' };
      const outcome = expected ? 'refuse' : shares ? 'share' : 'attach';
      expect(check.body.data).toMatchObject([{ imageId: image.id, access: access[sender], outcome }]);

      const { status, body } = await attach(from, to, [image.id]);
      expect(body.error).toBe(expected);
      expect(status).toBe(expected === undefined ? 201 : expected === 'NOT_FOUND' ? 404 : 403);
      expect((await sharesOf(image)).length).toBe(before + (shares ? 1 : 0));
      expect(await chat(from, to)).toHaveLength(expected ? 0 : 1);
    },
  );

  it('A message needs a text or images, at most ten, and a deleted image cannot be attached.', async () => {
    const image = await buildImage(test.gateway, { owner: provider });
    await attach(provider, patient, []).expect(422);
    await attach(
      provider,
      patient,
      Array.from({ length: 11 }, () => String(newId())),
    ).expect(422);
    await attach(provider, patient, [image.id, String(newId())]).expect(404);
    expect(await sharesOf(image)).toEqual([]);
    expect(await chat(provider, patient)).toEqual([]);
  });

  it('A socket sends images as the call does, and the share names the address of its client.', async () => {
    const image = await buildImage(test.gateway, { owner: provider });
    const [sender, reader] = await Promise.all(
      [provider, patient].map(({ token }) => connectSocket(test.url, { token })),
    );
    try {
      const payload = { recipientId: patient.id, images: [image.id], clientId: randomUUID() };
      const first = await sender?.ask('message:send', payload);
      expect(first).toMatchObject({ data: { attachments: [{ access: 'open' }] } });
      expect(await sender?.ask('message:send', payload)).toEqual(first);
      const came = await reader?.until('message:new');
      expect(came).toMatchObject([{ content: '', attachments: [{ imageId: image.id, access: 'locked' }] }]);
      const [share] = await sharesOf(image);
      const made = await test.gateway.models.Event.findOne({ type: 'share.create', 'refs.share': share?._id }).lean();
      expect(made).toMatchObject({ actor: provider._id, ip: expect.stringMatching(/127\.0\.0\.1$/) });
    } finally {
      for (const one of [sender, reader]) one?.socket.close();
    }
  });
});

describe('read receipts', () => {
  const receipts = (person: Person, readReceipts: boolean) =>
    api.as(person).put('/users/profile', { readReceipts }).expect(200);
  const readAt = async (viewer: Person, other: Person) =>
    ((await api.as(viewer).get(`/message/chat/${other.id}`).expect(200)).body.data as Message[]).map((message) =>
      Boolean(message.readAt),
    );

  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [false, false, false],
  ])(
    'The reading is shown only when both report theirs: sender %s, recipient %s.',
    async (sender, recipient, shown) => {
      expect(messageRules.seesReading({ readReceipts: sender }, { readReceipts: recipient })).toBe(shown);
      await receipts(provider, sender);
      await receipts(patient, recipient);
      const [told, own] = await Promise.all([provider, patient].map(({ token }) => connectSocket(test.url, { token })));
      try {
        const { id } = (await send(provider, patient).expect(201)).body.data;
        await api.as(patient).post(`/message/read/${provider.id}`, {}).expect(200);
        expect(await own?.until('message:read')).toMatchObject([{ upTo: id }]);
        // This event follows the one that the sender must not get.
        await send(patient, provider, 'Thanks').expect(201);
        await told?.until('message:new', 2);
        expect(told?.seen('message:read')).toHaveLength(shown ? 1 : 0);
        expect(await readAt(provider, patient)).toEqual([shown, false]);
        // One’s own reading is always known: it makes the number of unread messages.
        expect(await readAt(patient, provider)).toEqual([true, false]);
        const { body } = await api.as(patient).get('/message/chat-list').expect(200);
        expect(body.data[0].unread).toBe(0);
        const since = await api.as(provider).get('/message/since').expect(200);
        expect(since.body.data.messages.map((message: Message) => Boolean(message.readAt))).toEqual([shown, false]);
      } finally {
        for (const one of [told, own]) one?.socket.close();
      }
    },
  );

  it('A reading that was not reported stays so when receipts are turned on again; the others are hidden meanwhile.', async () => {
    await send(provider, patient, 'one').expect(201);
    await api.as(patient).post(`/message/read/${provider.id}`, {}).expect(200);
    await receipts(patient, false);
    expect((await api.as(patient).get('/users/profile').expect(200)).body.data.readReceipts).toBe(false);
    await send(provider, patient, 'two').expect(201);
    await api.as(patient).post(`/message/read/${provider.id}`, {}).expect(200);
    expect(await readAt(provider, patient)).toEqual([false, false]);
    await receipts(patient, true);
    expect(await readAt(provider, patient)).toEqual([true, false]);
    // Only oneself reads the setting.
    expect((await api.as(provider).get(`/users/${patient.id}`).expect(200)).body.data).not.toHaveProperty(
      'readReceipts',
    );
  });
});

describe('search in a chat', () => {
  const find = async (viewer: Person, other: Person, text: string, before?: string) =>
    (await api.as(viewer).post(`/message/chat/${other.id}/search`, { text, before }).expect(200)).body.data as {
      hits: { id: string; seq: number }[];
      before: string | null;
    };

  it('All words are found without case and accents, the newest first, in one’s own chat only.', async () => {
    for (const text of ['Das Röntgen ist da', 'nothing here', 'RONTGEN von morgen', 'morgen']) {
      await send(patient, provider, text).expect(201);
    }
    const stranger = await buildProvider(test.gateway);
    await send(patient, stranger, 'röntgen elsewhere').expect(201);
    expect((await find(provider, patient, 'röntgen')).hits.map(({ seq }) => seq)).toEqual([3, 1]);
    expect((await find(patient, provider, 'Morgen  rönt')).hits.map(({ seq }) => seq)).toEqual([3]);
    expect(await find(patient, provider, 'ist.*da')).toEqual({ hits: [], before: null });
    const [hit] = (await find(patient, stranger, 'elsewhere')).hits;
    await api.as(provider).post(`/message/chat/${patient.id}/search`, { text: 'x', before: hit?.id }).expect(422);
    for (const text of ['', '  ', 'x'.repeat(limits.chatSearchLength + 1), { $gt: '' }]) {
      await api.as(patient).post(`/message/chat/${provider.id}/search`, { text }).expect(422);
    }
  });

  it('Letters and digits that Arabic and Urdu write in several forms are found in each.', async () => {
    for (const text of ['علي كا ايكسرے', 'کمرہ نمبر ۱۲۳', 'مُحمّـد', 'علی کا ایکسرے ١٢٣']) {
      await send(patient, provider, text).expect(201);
    }
    const seqs = async (text: string) => (await find(provider, patient, text)).hits.map(({ seq }) => seq);
    expect(await seqs('علی کا')).toEqual([4, 1]);
    expect(await seqs('علي كا ايكسرے')).toEqual([4, 1]);
    expect(await seqs('123')).toEqual([4, 2]);
    expect(await seqs('١٢٣ كمره')).toEqual([2]);
    expect(await seqs('محمد')).toEqual([3]);
    // A text of which nothing is left to compare finds nothing.
    expect(await seqs('ـ')).toEqual([]);
    expect(await seqs('\u0301')).toEqual([]);
  });

  it('A search continues behind a page of hits, and ends at the first message.', async () => {
    const conversation = [patient.id, provider.id].sort().join('_');
    const facts = { conversation, sender: oid(patient.id), recipient: oid(provider.id), pending: false };
    const members = [facts.sender, facts.recipient];
    const createAt = test.clock.now();
    await test.gateway.models.Message.collection.insertMany(
      Array.from({ length: limits.chatSearchHits + 3 }, (_, i) => ({
        _id: newId(),
        ...facts,
        members,
        seq: i + 1,
        content: 'Schädel',
        createAt,
      })),
    );
    await test.gateway.models.Conversation.create([
      { _id: conversation, seq: 99, lastAt: createAt, members, read: {} },
    ]);
    const first = await find(provider, patient, 'schadel');
    expect(first.hits).toHaveLength(limits.chatSearchHits);
    const rest = await find(provider, patient, 'schadel', first.before ?? '');
    expect(rest).toMatchObject({ hits: [{ seq: 3 }, { seq: 2 }, { seq: 1 }], before: null });
  });
});
