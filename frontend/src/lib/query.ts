import { MutationCache } from '@tanstack/react-query';
import { errorText } from './errors';
import { ApiError } from './http';
import { liveClient } from './live';
import { holdPrivate } from './private';
import { toast } from './toaster';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The screen shows the failure itself (at a field, in place): no toast. */
      silent?: boolean;
      /** Words for a failure that carries none of its own. */
      fallback?: string;
    };
  }
}

/** The server was away or in trouble: the same call may go through a little later. */
export const worthRetrying = (error: unknown) =>
  !(error instanceof ApiError) || error.status === 0 || error.status >= 500;

export const queryClient = liveClient({
  defaultOptions: {
    queries: {
      // The socket keeps the cache true; this only covers what has no event.
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

holdPrivate(() => queryClient.clear());
