import { auditCalls } from '@lightbox/contract/audit/calls.js';
import type { QueryInput } from '@lightbox/contract/call.js';
import { keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import { send } from '../lib/http';

export const auditLog = (query: QueryInput<typeof auditCalls.listAudit>) =>
  queryOptions({
    queryKey: ['audit', 'list', query],
    queryFn: ({ signal }) => send(auditCalls.listAudit, { query }, { signal }),
    placeholderData: keepPreviousData,
    // Entries are only ever added, and looking again is what one comes here for.
    staleTime: 0,
  });

/** Has the server recompute the whole chain: asked for, never by itself. */
export const useVerifyChain = (fallback: string) =>
  useMutation({
    mutationFn: async () => ({ ...(await send(auditCalls.verifyAudit, {})).data, at: Date.now() }),
    meta: { fallback },
  });
