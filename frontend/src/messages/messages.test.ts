import type { Attachment, ChatListEntry, Message } from '@lightbox/contract/messages/calls.js';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endSession } from '../auth/session';
import { socketAtom } from '../lib/connection';
import { liveClient } from '../lib/live';
import * as socket from '../lib/socket';
import { store } from '../lib/store';
import { attachmentEvents } from './attachments';
import { catchUp } from './catchUp';
import { type Chat, page } from './chat';
import { chatKey, listKey } from './keys';
import { messageEvents } from './messages';
import { markRead } from './readMarks';
import { takeMissed } from './take';
import { ana, ben, chatOf, cleo, id, listOf, message, signIn } from './testing';
import { typingAtom } from './typing';

const emit = vi.spyOn(socket, 'emit');
afterAll(() => emit.mockRestore());

/** A small model of the server, and a client that gets only its events. */
function world(all: Message[]) {
  const cache = liveClient();
  const online = new Set<string>();
  cache.setQueryData(listKey, listOf(all, ana));
  for (const other of [ben, cleo]) cache.setQueryData<Chat>(chatKey(other), page(chatOf(all, other)));
  const change = (which: (one: Message) => boolean, fields: Partial<Message>) => {
    all = all.map((one) => (which(one) ? { ...one, ...fields } : one));
  };
  return {
    cache,
    post(one: Message) {
      all = [...all, one];
      messageEvents['message:new']?.(one, cache);
    },
    deliver(ids: string[], userId: string, at: string) {
      change(({ id, deliveredAt }) => ids.includes(id) && !deliveredAt, { deliveredAt: at });
      messageEvents['message:delivered']?.({ userId, ids, at }, cache);
    },
    read(upTo: Message, userId: string, at: string) {
      const together = (one: Message) => [one.senderId, one.recipientId].sort().join();
      change(
        (one) => one.recipientId === userId && together(one) === together(upTo) && one.seq <= upTo.seq && !one.readAt,
        { readAt: at },
      );
      messageEvents['message:read']?.({ userId, upTo: upTo.id, at }, cache);
    },
    presence(userId: string, on: boolean) {
      if (on) online.add(userId);
      else online.delete(userId);
      messageEvents.presence?.({ userId, online: on }, cache);
    },
    same() {
      expect(cache.getQueryData(listKey)).toEqual(listOf(all, ana, online));
      for (const other of [ben, cleo])
        expect(cache.getQueryData<Chat>(chatKey(other))?.messages).toEqual(chatOf(all, other));
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  signIn();
  emit.mockReset();
  emit.mockResolvedValue(null);
  store.set(socketAtom, 'off');
  globalThis.fetch = vi.fn(async () => new Response(JSON.stringify({ data: { messages: [], more: false } })));
});

afterEach(async () => {
  await vi.runAllTimersAsync();
  vi.useRealTimers();
});

describe('socket events', () => {
  const start = () => [message(1, ben, ana), message(2, ana, ben), message(3, cleo, ana)];

  it('The cache equals a fresh fetch after message:new, to and from the viewer, also when it arrives twice.', () => {
    const it = world(start());
    for (const one of [message(4, ben, ana), message(5, ana, cleo), message(6, cleo, ana)]) {
      it.post(one);
      messageEvents['message:new']?.(one, it.cache);
      it.same();
    }
  });

  it('The cache equals a fresh fetch after message:delivered.', () => {
    const all = start();
    const it = world(all);
    it.deliver([all[1]?.id ?? ''], ben, '2026-01-01T10:00:00.000Z');
    it.deliver([all[1]?.id ?? ''], ben, '2026-01-01T11:00:00.000Z');
    it.same();
  });

  it('The cache equals a fresh fetch after message:read, of the other person and of the viewer in another tab.', () => {
    const [hers, mine] = [message(1, ben, ana), message(2, ana, ben)];
    const it = world([hers, mine, message(3, ben, ana)]);
    it.read(mine, ben, '2026-01-01T10:00:00.000Z');
    it.same();
    it.read(hers, ana, '2026-01-01T10:01:00.000Z');
    it.same();
    expect(it.cache.getQueryData<ChatListEntry[]>(listKey)?.[0]?.unread).toBe(1);
  });

  it('The cache equals a fresh fetch after presence.', () => {
    const it = world(start());
    it.presence(ben, true);
    it.same();
    it.presence(ben, false);
    it.same();
  });

  it('The cache equals a fresh fetch after any mixture of these events.', () => {
    const first = start();
    const it = world(first);
    const posted: Message[] = [...first];
    for (let step = 4; step < 120; step += 1) {
      const other = step % 3 ? ben : cleo;
      const one = step % 2 ? message(step, ana, other) : message(step, other, ana);
      it.post(one);
      posted.push(one);
      const earlier = posted[(step * 7) % posted.length];
      const at = new Date(Date.UTC(2026, 0, 2, 0, step)).toISOString();
      if (earlier && step % 4 === 0) it.read(earlier, step % 8 ? earlier.senderId : earlier.recipientId, at);
      if (earlier && step % 5 === 0) it.deliver([earlier.id], ben, at);
      if (step % 9 === 0) it.presence(other, step % 2 === 0);
      it.same();
    }
  });
});

describe('events that the cache cannot apply', () => {
  it('A message of a new person reads the chat list again, and a read mark of an unknown message its chat.', async () => {
    const it = world([message(1, ben, ana)]);
    const due = (key: readonly unknown[]) => it.cache.getQueryState(key)?.isInvalidated;
    messageEvents['message:new']?.(message(2, cleo, ana), it.cache);
    await vi.waitFor(() => expect(due(listKey)).toBe(true));
    messageEvents['message:read']?.({ userId: ben, upTo: 'unknown', at: 'now' }, it.cache);
    await vi.waitFor(() => expect(due(chatKey(ben))).toBe(true));
    expect(due(chatKey(cleo))).toBe(false);
  });

  it('A chat with a gap in seq is read again.', async () => {
    const it = world([message(1, ben, ana)]);
    messageEvents['message:new']?.(message(3, ben, ana), it.cache);
    messageEvents['message:new']?.(message(2, ben, ana), it.cache);
    messageEvents['message:new']?.(message(2, cleo, ana), it.cache);
    await vi.advanceTimersByTimeAsync(300);
    expect(it.cache.getQueryState(chatKey(ben))?.isInvalidated).toBe(false);
    expect(it.cache.getQueryState(chatKey(cleo))?.isInvalidated).toBe(true);
  });
});

describe('after a gap', () => {
  it('Missed messages are added once and in order, and the chat list is read again.', async () => {
    const [one, two, three] = [message(1, ben, ana), message(2, ben, ana), message(3, ana, ben)];
    const it = world([one]);
    takeMissed(it.cache, [three, one, two]);
    expect(it.cache.getQueryData<Chat>(chatKey(ben))?.messages).toEqual([one, two, three]);
    await vi.waitFor(() => expect(it.cache.getQueryState(listKey)?.isInvalidated).toBe(true));
  });

  it('Missed messages are asked for again while the server is unavailable, and once more after another disconnect.', async () => {
    const [one, two, three] = [message(1, ben, ana), message(2, ben, ana), message(3, ben, ana)];
    const it = world([one]);
    store.set(socketAtom, 'on');
    await vi.advanceTimersByTimeAsync(100);
    let status = 503;
    let came = [one, two];
    globalThis.fetch = vi.fn(
      async () => new Response(JSON.stringify({ data: { messages: came, cursor: 'c', more: false } }), { status }),
    );
    const missed = catchUp(it.cache);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(it.cache.getQueryData<Chat>(chatKey(ben))?.messages).toEqual([one]);
    status = 200;
    await vi.advanceTimersByTimeAsync(10_000);
    await missed;
    expect(it.cache.getQueryData<Chat>(chatKey(ben))?.messages).toEqual([one, two]);
    const asked = vi.mocked(fetch).mock.calls.length;
    const under = catchUp(it.cache);
    came = [three];
    void catchUp(it.cache);
    await under;
    expect(vi.mocked(fetch).mock.calls.length).toBe(asked + 2);
    store.set(socketAtom, 'off');
    status = 503;
    const before = vi.mocked(fetch).mock.calls.length;
    void catchUp(it.cache);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.mocked(fetch).mock.calls.length).toBe(before + 1);
  });
});

describe('receipts', () => {
  it('A message is marked as read on the server first, then in the cache.', async () => {
    const one = message(1, ben, ana);
    const it = world([one]);
    store.set(socketAtom, 'on');
    emit.mockRejectedValueOnce(new Error('cut'));
    await markRead(it.cache, one);
    expect(it.cache.getQueryData<ChatListEntry[]>(listKey)?.[0]?.unread).toBe(1);
    await markRead(it.cache, one);
    expect(emit).toHaveBeenLastCalledWith('message:read', { userId: ben, upTo: one.id });
    expect(it.cache.getQueryData<ChatListEntry[]>(listKey)?.[0]?.unread).toBe(0);
  });

  it('The delivery of a message is reported once.', async () => {
    const one = message(1, ben, ana);
    const it = world([]);
    store.set(socketAtom, 'on');
    messageEvents['message:new']?.(one, it.cache);
    messageEvents['message:new']?.(one, it.cache);
    await vi.advanceTimersByTimeAsync(200);
    messageEvents['message:new']?.(one, it.cache);
    await vi.advanceTimersByTimeAsync(200);
    expect(emit.mock.calls.filter(([event]) => event === 'message:delivered')).toEqual([
      ['message:delivered', { ids: [one.id] }],
    ]);
  });
});

describe('typing', () => {
  it('A typing note ends after five seconds, or when the message arrives.', () => {
    const cache = liveClient();
    messageEvents.typing({ userId: ben });
    expect(store.get(typingAtom)).toHaveProperty(ben);
    vi.advanceTimersByTime(5100);
    expect(store.get(typingAtom)).not.toHaveProperty(ben);
    messageEvents.typing({ userId: ben });
    messageEvents['message:new']?.(message(1, ben, ana), cache);
    expect(store.get(typingAtom)).not.toHaveProperty(ben);
  });

  it('A typing note to one person is not shown to the next one.', () => {
    messageEvents.typing({ userId: ben });
    endSession('idle');
    signIn(cleo);
    expect(store.get(typingAtom)).toEqual({});
  });
});

describe('attached images', () => {
  const [one, two] = ['9', '8'].map(id) as [string, string];
  const shareId = id('7');
  const open = (imageId: string): Attachment => ({
    imageId,
    access: 'open',
    caption: 'Knee',
    contentType: 'image/png',
  });
  const ended = { sharingRequestId: shareId, imagemetadataId: one, createdfor: ana, expiresAt: null };
  const started = (answer: Attachment[]) => {
    const it = world([message(1, ben, ana, { attachments: [open(one), open(two)] })]);
    globalThis.fetch = vi.fn(async () => new Response(JSON.stringify({ data: answer })));
    return { ...it, cards: () => it.cache.getQueryData<Chat>(chatKey(ben))?.messages[0]?.attachments };
  };

  it('A card is blank in the moment in which its share ends, and another share gives the image back.', async () => {
    const { cache, cards } = started([open(one)]);
    attachmentEvents['share:revoked'](ended, cache);
    expect(cards()).toEqual([{ imageId: one, access: 'none' }, open(two)]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(cards()).toEqual([open(one), open(two)]);
  });

  it('A card stays blank when the server cannot be asked, and the share of another person changes nothing.', async () => {
    const { cache, cards } = started([]);
    attachmentEvents['share:expired']({ ...ended, createdfor: ben }, cache);
    expect(cards()).toEqual([open(one), open(two)]);
    globalThis.fetch = vi.fn(async () => Promise.reject(new TypeError('no network')));
    attachmentEvents['share:expired'](ended, cache);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(cards()?.[0]).toEqual({ imageId: one, access: 'none' });
  });

  it('A card shows at once that its image was deleted, and no later answer changes that.', async () => {
    const { cache, cards } = started([open(one)]);
    attachmentEvents['image:deleted']({ imagemetadataId: one }, cache);
    attachmentEvents['share:verified'](ended, cache);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(cards()).toEqual([{ imageId: one, access: 'none', deleted: true }, open(two)]);
  });
});
