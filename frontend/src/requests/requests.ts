import { requestCalls } from '@lightbox/contract/requests/calls.js';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { refreshLists } from '../images/cache';
import { coalesce } from '../lib/coalesce';
import { send } from '../lib/http';
import { reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';

const key = ['requests'] as const;

/** Rows of one page of the list. */
export const pageRows = 20;

export const requestList = (page: number, cursor?: string) =>
  queryOptions({
    queryKey: [...key, 'list', page, cursor],
    queryFn: ({ signal }) => send(requestCalls.listRequests, { query: { page, limit: pageRows, cursor } }, { signal }),
    placeholderData: keepPreviousData,
  });

export const oneRequest = (id: string) =>
  queryOptions({
    queryKey: [...key, 'one', id],
    queryFn: async ({ signal }) => (await send(requestCalls.getRequest, { params: { id } }, { signal })).data,
    // The pictures of the images are drawn after their arrival.
    refetchInterval: ({ state: { data } }) =>
      data?.images.some(({ image_url, contentType }) => !image_url && contentType !== 'application/pdf')
        ? 3_000
        : false,
  });

export const refreshRequests = (cache: QueryClient) => coalesce('requests', () => void reread(cache, key));

const again = (_: unknown, cache: QueryClient) => refreshRequests(cache);

export const requestEvents = {
  feeds: [key],
  'request:created': again,
  'request:received': again,
  'request:taken': (_, cache) => {
    refreshRequests(cache);
    refreshLists(cache);
  },
  'request:declined': again,
  'request:revoked': again,
  'request:ended': again,
} satisfies SocketRows;
