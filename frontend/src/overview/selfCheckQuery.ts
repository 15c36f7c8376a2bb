import { selfCheckCalls } from '@lightbox/contract/selfCheck/calls.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../lib/http';
import { put } from '../lib/live';

export const selfCheck = queryOptions({
  queryKey: ['selfCheck'],
  queryFn: ({ signal }) => send(selfCheckCalls.getSelfCheck, {}, { signal }),
});

/** Runs the self-check, and shows its report in place of the last one. */
export function useRunSelfCheck(fallback: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => send(selfCheckCalls.runSelfCheck, { body: {} }),
    meta: { fallback },
    onSuccess: (answer) => put(cache, selfCheck.queryKey, answer),
  });
}
