import { limits } from '@lightbox/contract/limits.js';
import { describe, expect, it } from 'vitest';
import { type Chat, extended, listed, page, readUpTo, received, refreshed, unite } from './chat';
import { ana, ben, cleo, listOf, message } from './testing';

const run = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => message(from + index, ben, ana));
const seqs = (chat: Chat) => chat.messages.map(({ seq }) => seq);

describe('what is held and what comes', () => {
  const [one, two, three] = run(1, 3);
  if (!one || !two || !three) throw new Error('three messages');

  it('is ordered by seq, however it arrives', () => {
    expect(unite([three], [one, two]).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('is held once, however often it arrives', () => {
    const chat = received(received({ messages: [], more: false }, [one, two]), [two, one]);
    expect(chat.messages).toEqual([one, two]);
  });

  it('keeps a receipt that an older answer does not know of', () => {
    const read = { ...one, deliveredAt: one.createAt, readAt: one.createAt };
    expect(unite([read], [one])).toEqual([read]);
  });

  it('marks as read what was written to the reader up to that place', () => {
    const own = message(2, ana, ben);
    const chat = readUpTo({ messages: [one, own, three], more: false }, ana, 2, 'now');
    expect(chat.messages.map(({ readAt }) => readAt)).toEqual(['now', undefined, undefined]);
  });
});

describe('the newest page again', () => {
  const all = run(1, limits.chatLimit * 3);
  const last = all.slice(-limits.chatLimit);

  it('joins what is held where the two touch', () => {
    const held = page(all.slice(0, -10));
    expect(refreshed(held, page(last)).messages).toEqual(all);
  });

  it('keeps what an event brought while it was on its way', () => {
    const came = message(9999, ben, ana);
    expect(refreshed({ messages: [came], more: true }, page(last)).messages).toEqual([...last, came]);
  });

  it('leaves no hole: what is too old to touch is let go, and can be read again', () => {
    const chat = refreshed({ messages: all.slice(0, 5), more: false }, page(last));
    expect(seqs(chat)).toEqual(last.map(({ seq }) => seq));
    expect(chat.more).toBe(true);
  });

  it('knows the beginning when an older page is not full', () => {
    const chat = extended(page(last), all.slice(0, 7));
    expect(chat.more).toBe(false);
    expect(chat.messages[0]?.seq).toBe(1);
  });
});

describe('the chat list', () => {
  const [one, two] = [message(1, ben, ana), message(2, cleo, ana)];

  it('counts a message once', () => {
    const before = listOf([one, two], ana);
    const next = message(3, ben, ana);
    const after = listed(before, next, ana);
    expect(after).toEqual(listOf([one, two, next], ana));
    expect(after && listed(after, next, ana)).toBe(after);
  });

  it('asks the server about people it does not know and messages that are older than the last', () => {
    expect(listed([], one, ana)).toBeUndefined();
    expect(listed(listOf([message(9, ben, ana)], ana), one, ana)).toBeUndefined();
  });
});
