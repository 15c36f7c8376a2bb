import { MutationCache } from '@tanstack/react-query';
import { errorText } from './errors';
import { ApiError } from './http';
import { liveClient } from './live';
import { holdPrivate } from './private';
import { toast } from './toaster';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** True when the screen shows the failure itself (at a field, in place): no toast. */
      silent?: boolean;
      /** Text for a failure without a text of its own. */
      fallback?: string;
    };
  }
}

/** True when the server was not reached or failed (5xx): the same call may succeed a little later. */
export const worthRetrying = (error: unknown) =>
  !(error instanceof ApiError) || error.status === 0 || error.status >= 500;

export const queryClient = liveClient({
  defaultOptions: {
    queries: {
      // Socket events keep the cache current; this time matters only for data without an event.
      staleTime: 30_000,
      retry: (failures, error) => failures < 2 && worthRetrying(error),
      refetchOnWindowFocus: false,
    },
    mutations: { retry: false },
  },
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      if (mutation.meta?.silent) return;
      toast.error(errorText(error, mutation.meta?.fallback));
    },
  }),
});

holdPrivate(() => {
  // A change that is under way does not tell the next person how it ended, and repairs nothing in their cache.
  for (const mutation of queryClient.getMutationCache().getAll()) mutation.setOptions({ meta: { silent: true } });
  queryClient.clear();
});
