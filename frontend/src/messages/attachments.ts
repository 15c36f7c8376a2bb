/** The cards of attached images in the cached chats, and the check of images that are to be attached. */

import { limits } from '@lightbox/contract/limits.js';
import { type Attachment, messageCalls } from '@lightbox/contract/messages/calls.js';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { coalesce } from '../lib/coalesce';
import { send } from '../lib/http';
import { change, reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import type { Chat } from './chat';
import { concerns, type Given, isMine } from './given';
import { chats } from './keys';

const checks = ['messages', 'attachable'] as const;

/** The access of the viewer to images, and the outcome of attaching them to a message to this person. */
export const attachable = (userId: string, images: readonly string[]) =>
  queryOptions({
    queryKey: [...checks, userId, images],
    queryFn: ({ signal }) => check(userId, images, signal),
    placeholderData: (before) => before,
  });

const check = async (userId: string, images: readonly string[], signal?: AbortSignal) =>
  (
    await send(
      messageCalls.checkAttachments,
      { params: { userId }, body: { images: [...images] } },
      { background: true, ...(signal && { signal }) },
    )
  ).data;

type Match = (card: Attachment) => boolean;

const hasCard = ({ messages }: Chat, matches: Match) => messages.some(({ attachments }) => attachments?.some(matches));

const patchCards = (cache: QueryClient, matches: Match, to: (card: Attachment) => Attachment) =>
  change<Chat>(cache, chats, (chat) =>
    hasCard(chat, matches)
      ? {
          ...chat,
          messages: chat.messages.map((message) =>
            message.attachments?.some(matches)
              ? { ...message, attachments: message.attachments.map((card) => (matches(card) ? to(card) : card)) }
              : message,
          ),
        }
      : chat,
  );

/** Asks the server again for the access to the matching images of every cached chat. */
async function recheck(cache: QueryClient, matches: Match): Promise<void> {
  void reread(cache, checks);
  // The cards of a chat that is being read may be older than this: the chat is read again.
  change<Chat>(cache, chats, (chat, fresh) => (fresh && hasCard(chat, matches) ? undefined : chat));
  for (const [key, chat] of cache.getQueriesData<Chat>({ queryKey: chats })) {
    const cards = (chat?.messages ?? []).flatMap(({ attachments = [] }) => attachments.filter(matches));
    const ids = [...new Set(cards.filter(({ deleted }) => !deleted).map(({ imageId }) => imageId))];
    for (let at = 0; at < ids.length; at += limits.messageImages) {
      const some = ids.slice(at, at + limits.messageImages);
      const answers = await check(String(key.at(-1)), some).catch(() => []);
      for (const { outcome: _, ...fresh } of answers) {
        patchCards(
          cache,
          ({ imageId, deleted }) => imageId === fresh.imageId && !deleted,
          () => fresh,
        );
      }
    }
  }
}

/** Another share may still give access, so the server is asked after the cards are blank. */
function ended(cache: QueryClient, share: Given) {
  if (isMine(share)) {
    const isItsOwn: Match = ({ imageId, shareId }) =>
      shareId === share.sharingRequestId || (share.studyId === undefined && imageId === share.imagemetadataId);
    patchCards(
      cache,
      (card) => isItsOwn(card) && !card.deleted,
      ({ imageId }) => ({ imageId, access: 'none' }),
    );
  }
  changed(cache, share);
}

function changed(cache: QueryClient, share: Given) {
  // Of shares of others, only the outcome of attaching can change.
  if (!isMine(share)) void reread(cache, checks);
  else coalesce(`cards ${share.sharingRequestId}`, () => void recheck(cache, concerns(share)), 50);
}

export const attachmentEvents = {
  feeds: [checks],
  'share:created': (share, cache) => changed(cache, share),
  'share:verified': (share, cache) => changed(cache, share),
  'share:revoked': (share, cache) => ended(cache, share),
  'share:expired': (share, cache) => ended(cache, share),
  'image:deleted': ({ imagemetadataId }, cache) =>
    patchCards(
      cache,
      ({ imageId }) => imageId === imagemetadataId,
      ({ imageId }) => ({ imageId, access: 'none', deleted: true }),
    ),
} satisfies SocketRows;
