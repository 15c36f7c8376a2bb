import { type Mutation, MutationCache } from '@tanstack/react-query';
import { errorText } from './errors';
import { ApiError } from './http';
import { liveClient } from './live';
import { holdPrivate } from './private';
import { toast } from './toaster';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /**
       * True when the screen shows the failure itself (at a field, in place): no toast while the screen is there. 'always':
       * no toast either when it is gone, because `onError` of the options shows the failure, or nobody needs to know it.
       */
      silent?: boolean | 'always';
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
      if (mutation.meta?.silent || isOver(mutation)) return;
      toast.error(errorText(error, mutation.meta?.fallback));
    },
  }),
});

const mutations = queryClient.getMutationCache();

/** True for a change of a person who has left. A screen that is drawn once more gives it back its own options. */
const isOver = (mutation: Mutation<unknown, unknown, unknown, unknown>) =>
  !mutations.getAll().includes(mutation as Mutation);

// The person has closed the dialog, or left the screen, that would have shown the failure.
mutations.subscribe((event) => {
  if (event.type !== 'observerRemoved') return;
  const { mutation } = event;
  const { options, state } = mutation;
  if (options.meta?.silent !== true || state.status !== 'pending' || isOver(mutation)) return;
  mutation.setOptions({ ...options, meta: { ...options.meta, silent: false } });
});

holdPrivate(() => {
  // A change that is under way does not tell the next person how it ended, and repairs nothing in their cache.
  for (const mutation of mutations.getAll()) mutation.setOptions({ meta: { silent: true } });
  queryClient.clear();
});
