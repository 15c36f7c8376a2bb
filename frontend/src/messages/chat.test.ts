import { limits } from '@lightbox/contract/limits.js';
import { describe, expect, it } from 'vitest';
import {
  type Chat,
  extended,
  hasHole,
  joinedToNext,
  listed,
  page,
  readUpTo,
  received,
  refreshed,
  seenUpTo,
  unite,
} from './chat';
import { marked, wordsOf } from './marks';
import { ana, ben, cleo, listOf, message } from './testing';

const run = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => message(from + index, ben, ana));
const seqs = (chat: Chat) => chat.messages.map(({ seq }) => seq);

describe('merging messages', () => {
  const [one, two, three] = run(1, 3);
  if (!one || !two || !three) throw new Error('three messages');

  it('Messages are ordered by seq, in whatever order they arrive.', () => {
    expect(unite([three], [one, two]).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('A message that arrives several times is stored once.', () => {
    const chat = received(received(page([]), [one, two]), [two, one]);
    expect(chat.messages).toEqual([one, two]);
  });

  it('A receipt stays when an older answer lacks it.', () => {
    const read = { ...one, deliveredAt: one.createAt, readAt: one.createAt };
    expect(unite([read], [one])).toEqual([read]);
  });

  it('A message that the database lost is replaced by its repetition, and by another message with its seq.', () => {
    const clientId = 'said once';
    const [lost, kept] = [message(2, ana, ben, { clientId }), message(4, ana, ben, { clientId })];
    expect(unite([one, lost, three], [kept])).toEqual([one, three, kept]);
    expect(unite([one, lost, three], [two])).toEqual([one, two, three]);
    const theirs = message(4, ben, ana, { clientId });
    expect(unite([lost], [theirs])).toEqual([lost, theirs]);
  });

  it('Messages count as seen up to a gap in seq, until the missing one arrives or the server says that there is none.', () => {
    const hole = received(page([one]), [three]);
    expect(hasHole(hole)).toBe(true);
    expect(seenUpTo(hole, three.id)).toEqual(one);
    for (const whole of [received(hole, [two]), refreshed(hole, page([one, three]))]) {
      expect(hasHole(whole)).toBe(false);
      expect(seenUpTo(whole, three.id)).toEqual(three);
    }
    expect(seenUpTo({ ...hole, messages: [three] }, three.id)).toBeUndefined();
  });

  it('A read mark covers the messages to the reader up to its seq.', () => {
    const own = message(2, ana, ben);
    const chat = readUpTo(page([one, own, three]), ana, 2, 'now');
    expect(chat.messages.map(({ readAt }) => readAt)).toEqual(['now', undefined, undefined]);
  });
});

describe('merging the newest page', () => {
  const all = run(1, limits.chatLimit * 3);
  const last = all.slice(-limits.chatLimit);

  it('A new page that overlaps the cached messages is joined to them.', () => {
    const held = page(all.slice(0, -10));
    expect(refreshed(held, page(last)).messages).toEqual(all);
  });

  it('A message from an event stays when a pending page lacks it.', () => {
    const came = message(9999, ben, ana);
    expect(refreshed(page([came]), page(last)).messages).toEqual([...last, came]);
  });

  it('Cached messages without an overlap are dropped, and can be loaded again.', () => {
    const chat = refreshed(page(all.slice(0, 5)), page(last));
    expect(seqs(chat)).toEqual(last.map(({ seq }) => seq));
    expect(chat.more).toBe(true);
  });

  it('An older page that is not full ends the conversation.', () => {
    const chat = extended(page(last), all.slice(0, 7), last[0]?.id ?? '');
    expect(chat.more).toBe(false);
    expect(chat.messages[0]?.seq).toBe(1);
  });

  it('An older page is ignored when the newest page was read again after the request.', () => {
    expect(extended(page(last), all.slice(0, 7), all[7]?.id ?? '')).toEqual(page(last));
  });
});

describe('the chat list', () => {
  const [one, two] = [message(1, ben, ana), message(2, cleo, ana)];

  it('The chat list counts a message once.', () => {
    const before = listOf([one, two], ana);
    const next = message(3, ben, ana);
    const after = listed(before, next, ana);
    expect(after).toEqual(listOf([one, two, next], ana));
    expect(after && listed(after, next, ana)).toBe(after);
  });

  it('The chat list does not count a message that a fresh answer may have counted.', () => {
    const next = message(2, ben, ana);
    const answer = listOf([one, { ...next, id: 'another at the same moment' }], ana);
    expect(listed(answer, next, ana)?.[0]?.unread).toBe(3);
    expect(listed(answer, next, ana, true)).toBeUndefined();
  });

  it('The chat list asks the server about unknown people, and about messages older than the last.', () => {
    expect(listed([], one, ana)).toBeUndefined();
    expect(listed(listOf([message(9, ben, ana)], ana), one, ana)).toBeUndefined();
  });
});

describe('groups', () => {
  const at = (seconds: number, own = false) => ({
    own,
    at: new Date(Date.UTC(2026, 0, 1, 9, 0, seconds)).toISOString(),
  });
  const never = () => false;

  it.each([
    ['one sender within a minute', [at(0), at(20), at(59)], [true, true, false]],
    ['a minute after the first', [at(0), at(40), at(60)], [true, false, false]],
    ['another sender', [at(0), at(1, true), at(2, true)], [false, true, false]],
  ])('%s: joined to the next %j', (_, messages, joined) => {
    expect(joinedToNext(messages, never)).toEqual(joined);
  });

  it('A day and the line above new messages begin a new group.', () => {
    expect(joinedToNext([at(0), at(1), at(2)], (i) => i === 1)).toEqual([false, true, false]);
  });
});

describe('searched words', () => {
  const hits = (text: string, words: string) =>
    marked(text, wordsOf(words)).flatMap(({ text, hit }) => (hit ? text : []));

  it.each([
    ['Das Röntgen ist da', 'RONTGEN', ['Röntgen']],
    ['Das Ro\u0308ntgen', 'rontgen', ['Ro\u0308ntgen']],
    ['abcabc', 'bc', ['bc', 'bc']],
    ['one two one', 'one  TWO', ['one', 'two', 'one']],
    ['😀 knee', 'knee', ['knee']],
    ['a.c', '.', ['.']],
    ['nothing', 'x', []],
    ['علي كا ايكسرے', 'ایکسرے علی', ['علي', 'ايكسرے']],
    ['نمبر ۱۲۳، ١٢٣', '123', ['۱۲۳', '١٢٣']],
    ['مُحمّـد ہے', 'محمد', ['مُحمّـد']],
    ['محمد ہے', 'مُحـمّد', ['محمد']],
    // Letters that are folded to several: a hit within one marks it whole.
    ['ﻻ بأس', 'لا', ['ﻻ']],
    ['der Beﬁ nd', 'bef', ['Beﬁ']],
    ['ﬁ', 'i', ['ﬁ']],
  ])('In %j the search for %j marks %j.', (text, words, expected) => {
    expect(hits(text, words)).toEqual(expected);
    expect(
      marked(text, wordsOf(words))
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });
});
