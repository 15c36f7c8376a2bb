import { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { BodyInput } from '@lightbox/contract/call.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../lib/http';
import { reread } from '../lib/live';
import { oneUser } from '../users/users';

export const ownSessions = queryOptions({
  queryKey: ['security', 'sessions'],
  queryFn: ({ signal }) => send(securityCalls.listSessions, {}, { signal }),
});

export const signIns = (query: { page: number; limit: number; cursor: string | undefined }) =>
  queryOptions({
    queryKey: ['security', 'signIns', query],
    queryFn: ({ signal }) => send(securityCalls.listSignIns, { query }, { signal }),
  });

export const totpState = queryOptions({
  queryKey: ['security', 'totp'],
  queryFn: ({ signal }) => send(securityCalls.getTotp, {}, { signal }),
});

/** A new secret each time somebody begins; not kept once the screen is gone. */
export const totpSetUp = queryOptions({
  queryKey: ['security', 'setUp'],
  queryFn: async ({ signal }) => {
    const { data } = await send(securityCalls.setUpTotp, { body: {} }, { signal });
    return 'secret' in data ? data : null;
  },
  gcTime: 0,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

export function useEndSession() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => send(securityCalls.endSession, { params: { id } }),
    onSettled: () => reread(cache, ownSessions.queryKey),
  });
}

export function useEndOthers() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => send(securityCalls.endOtherSessions, {}),
    onSettled: () => reread(cache, ownSessions.queryKey),
  });
}

/** Gives the recovery codes, which are shown this once. */
export const useConfirmTotp = () =>
  useMutation({
    mutationFn: async (code: string) => {
      const { data } = await send(securityCalls.setUpTotp, { body: { code } });
      return 'recoveryCodes' in data ? data.recoveryCodes : [];
    },
    meta: { silent: true },
  });

export function useRemoveTotp() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyInput<typeof securityCalls.removeTotp>) => send(securityCalls.removeTotp, { body }),
    meta: { silent: true },
    onSuccess: () => Promise.all([reread(cache, totpState.queryKey), reread(cache, oneUser().queryKey)]),
  });
}

export const useRenewRecoveryCodes = () =>
  useMutation({
    mutationFn: (body: BodyInput<typeof securityCalls.renewRecoveryCodes>) =>
      send(securityCalls.renewRecoveryCodes, { body }),
    meta: { silent: true },
  });

export function useChangePassword() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyInput<typeof securityCalls.changePassword>) => send(securityCalls.changePassword, { body }),
    meta: { silent: true },
    // The other devices are signed out, and the change is among the sign-ins.
    onSuccess: () => reread(cache, ['security']),
  });
}
