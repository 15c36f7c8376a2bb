import type { DataOf } from '@lightbox/contract/call.js';
import { folded } from '@lightbox/contract/folded.js';
import { limits } from '@lightbox/contract/limits.js';
import type { messageCalls, SearchHit } from '@lightbox/contract/messages/calls.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { Answer, Context } from '../context.js';
import { requireConversation, requireMayWrite } from './readMessages.js';
import { requireMessage } from './requireMessage.js';

type Found = Pick<MessageDoc, '_id' | 'seq' | 'content' | 'createAt'>;

/**
 * Finds the messages that contain every word of a text, the newest first. Reads the conversation from its end: an index
 * of folded words would be a second copy of every message. A call stops after a page of hits, or after the number of
 * messages that one call may read, and says where the next call continues.
 */
export async function searchChat({
  gateway,
  viewer,
  params,
  body,
}: Context<typeof messageCalls.searchChat>): Promise<Answer<DataOf<typeof messageCalls.searchChat>>> {
  const partner = oid(params.userId);
  const conversation = await requireConversation(gateway, viewer, partner);
  await requireMayWrite(gateway, viewer, partner);
  const before = body.before ? await requireMessage(gateway, conversation, body.before, 'before') : null;
  const words = folded(body.text).split(/\s+/).filter(Boolean);
  // Accents alone leave nothing to compare, which every message contains.
  if (words.length === 0) return { data: { hits: [], before: null } };
  const cursor = gateway.models.Message.find(
    { conversation, ...(before ? { seq: { $lt: before.seq } } : {}) },
    { seq: 1, content: 1, createAt: 1 },
  )
    .sort({ seq: -1 })
    .limit(limits.chatSearchReads)
    .lean<Found>()
    .cursor({ batchSize: 1_000 });
  const hits: SearchHit[] = [];
  let read = 0;
  for await (const { _id, seq, content, createAt } of cursor) {
    read++;
    const compared = folded(content);
    if (words.every((word) => compared.includes(word))) {
      hits.push({ id: String(_id), seq, createAt: createAt.toISOString() });
    }
    if (hits.length === limits.chatSearchHits || read === limits.chatSearchReads) {
      return { data: { hits, before: String(_id) } };
    }
  }
  return { data: { hits, before: null } };
}
