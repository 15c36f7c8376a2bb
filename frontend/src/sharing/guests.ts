import { guestCalls } from '@lightbox/contract/guests/calls.js';
import type { QueryClient } from '@tanstack/react-query';
import { queryOptions } from '@tanstack/react-query';
import { refreshLists } from '../images/cache';
import { coalesce } from '../lib/coalesce';
import { send } from '../lib/http';
import { reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';

const guestLists = ['guestLinks'] as const;

/** The guest links of an image, or of a study. */
export const guestLinksOf = (imageId: string, studyId?: string) =>
  queryOptions({
    queryKey: [...guestLists, studyId ?? imageId],
    queryFn: async ({ signal }) =>
      (await send(guestCalls.listGuestLinks, { query: studyId ? { studyId } : { imageId } }, { signal })).data,
  });

/** Reads the guest links again, and the cards and dialogs that say how many there are. */
export function refreshGuestLinks(cache: QueryClient) {
  coalesce('guestLinks', () => {
    void reread(cache, guestLists);
    void reread(cache, ['images', 'one']);
  });
  refreshLists(cache);
}

const again = (_: unknown, cache: QueryClient) => refreshGuestLinks(cache);

export const guestEvents = {
  feeds: [guestLists],
  'guest:created': again,
  'guest:opened': again,
  'guest:locked': again,
  'guest:revoked': again,
  'guest:expired': again,
} satisfies SocketRows;
