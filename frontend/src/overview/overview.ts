import { type FailedJob, overviewCalls } from '@lightbox/contract/overview/calls.js';
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { coalesce } from '../lib/coalesce';
import { send } from '../lib/http';
import { reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';

const POLL_MS = 30_000;

export const overview = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => send(overviewCalls.getOverview, {}, { signal }),
  staleTime: 5_000,
  refetchInterval: POLL_MS,
});

const changed = (cache: QueryClient) => reread(cache, overview.queryKey);

export function useRetryJob(fallback: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ queue, id }: FailedJob) => send(overviewCalls.retryJob, { params: { queue, id }, body: {} }),
    meta: { fallback },
    onSettled: () => changed(cache),
  });
}

/** Opens the board of the queues, in place of this page: a new tab would be blocked after the answer. */
export const useQueueBoard = (fallback: string) =>
  useMutation({
    mutationFn: () => send(overviewCalls.openQueueBoard, { body: {} }),
    meta: { fallback },
    onSuccess: ({ data }) => window.location.assign(data.path),
  });

/** A busy clinic causes many events a second. The totals are read again once for all of them. */
const soon = (_: unknown, cache: QueryClient) => coalesce('overview', () => void changed(cache), 2_000);

export const overviewEvents = {
  feeds: [overview.queryKey],
  'notification:new': ({ kind }, cache) => {
    if (kind === 'provider.registered' || kind === 'emergency.opened') void changed(cache);
  },
  'image:uploaded': soon,
  'image:deleted': soon,
  'emergency:approved': soon,
  'emergency:questioned': soon,
  'share:created': soon,
  'share:verified': soon,
  'share:locked': soon,
  'share:resent': soon,
  'share:revoked': soon,
  'share:expired': soon,
  'analysis:completed': soon,
  'analysis:failed': soon,
} satisfies SocketRows;
