/** Keeps the pinned places in the cached chats true: they lock and open with the access to their image. */

import type { Message } from '@lightbox/contract/messages/calls.js';
import type { QueryClient } from '@tanstack/react-query';
import { change, rereadWhere } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import type { Chat } from './chat';
import { concerns, type Given, isMine } from './given';
import { chats } from './keys';

type Match = (view: NonNullable<Message['view']>) => boolean;

const lock = (cache: QueryClient, matches: Match) =>
  change<Chat>(cache, chats, (chat) =>
    chat.messages.some(({ view }) => view && matches(view))
      ? {
          ...chat,
          messages: chat.messages.map((message) =>
            message.view && matches(message.view)
              ? { ...message, view: { imageId: message.view.imageId, locked: true } }
              : message,
          ),
        }
      : chat,
  );

/** Reads the chats again that have such a place. */
const again = (cache: QueryClient, matches: Match) =>
  rereadWhere<Chat>(cache, chats, ({ messages }) => messages.some(({ view }) => view && matches(view)));

/** Another share may still give access, so the chats are read again after the places are locked. */
function ended(cache: QueryClient, share: Given) {
  if (!isMine(share)) return;
  lock(cache, concerns(share));
  again(cache, concerns(share));
}

export const pinnedEvents = {
  feeds: [],
  'share:verified': (share, cache) => {
    if (isMine(share)) again(cache, concerns(share));
  },
  'share:revoked': (share, cache) => ended(cache, share),
  'share:expired': (share, cache) => ended(cache, share),
  'image:deleted': ({ imagemetadataId }, cache) => lock(cache, ({ imageId }) => imageId === imagemetadataId),
} satisfies SocketRows;
