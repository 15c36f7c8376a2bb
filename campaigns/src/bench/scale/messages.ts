import { newId, oid } from '@lightbox/core/db/ids.js';
import { conversationOf } from '@lightbox/core/messages/messages.js';
import type { ConversationDoc } from '@lightbox/core/models/conversation.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import { chance, textOf } from './chance.js';
import { Inserts } from './insert.js';
import { type People, type Place, type Size, timeOf } from './world.js';

type Id = MessageDoc['_id'];

/** The owner's chats, in every size: a long one and shorter ones. The others have the rest of the messages. */
const CHATS = 100;
const LONG_SHARE = 0.2;
const SHORT_SHARE = 0.3;
const UNREAD = 3;
/** Messages of the long chat that have the rare word. */
const RARE_HITS = 20;
export const RARE_CHAT_WORD = 'occipital';

export interface FilledMessages {
  partner: Id;
  middle: Id;
  old: Id;
}

/** Stores conversations and their messages. */
export async function fillMessages(place: Place, size: Size, people: People): Promise<FilledMessages> {
  const into = { conversations: new Inserts(place.models.Conversation), messages: new Inserts(place.models.Message) };
  const owner = oid(people.owner.id);
  const partners = people.patients.slice(1, CHATS + 1);
  const long = Math.floor(size.messages * LONG_SHARE);
  const short = Math.floor((size.messages * SHORT_SHARE) / (partners.length - 1));
  const [partner] = partners as [Id];
  const found: Partial<FilledMessages> = { partner };
  await fillOne(into, owner, partner, long, (message) => {
    if (message.seq === Math.floor(long / 2)) found.middle = message._id;
    if (message.seq === 60) found.old = message._id;
  });
  for (const one of partners.slice(1)) await fillOne(into, owner, one, short);
  const pairs = Math.max(1, Math.floor(size.providers / 2));
  const rest = Math.floor((size.messages * (1 - LONG_SHARE - SHORT_SHARE)) / pairs);
  for (let i = 0; i < pairs; i++) {
    const provider = people.providers[2 + (i % (size.providers - 2))] as Id;
    await fillOne(into, provider, people.patients.at(-1 - i) as Id, rest);
  }
  await into.conversations.end();
  await into.messages.end();
  return found as FilledMessages;
}

interface Into {
  conversations: Inserts<ConversationDoc>;
  messages: Inserts<MessageDoc>;
}

async function fillOne(into: Into, a: Id, b: Id, count: number, saw: (message: MessageDoc) => void = () => {}) {
  const now = new Date();
  const _id = conversationOf(a, b);
  const members = [a, b];
  await into.conversations.add({ _id, members, seq: count, lastAt: now, read: {} });
  for (let seq = 1; seq <= count; seq++) {
    const [sender, recipient] = seq % 2 ? [b, a] : [a, b];
    const at = timeOf(count - seq, count, now);
    const isRare = seq % Math.ceil(count / RARE_HITS) === 7;
    const message: MessageDoc = {
      ...{ _id: newId(), conversation: _id, seq, sender, recipient, members, createAt: at, pending: false },
      content: `${textOf(seq, 6 + Math.floor(chance(seq) * 10))}${isRare ? ` ${RARE_CHAT_WORD}` : ''}`,
      ...(seq > count - UNREAD ? {} : { deliveredAt: at, readAt: at, remindedAt: at }),
    };
    saw(message);
    await into.messages.add(message);
  }
}
