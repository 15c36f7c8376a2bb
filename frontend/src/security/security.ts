import { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { BodyInput } from '@lightbox/contract/call.js';
import { signOnCalls } from '@lightbox/contract/signOn/calls.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { makePasskey } from '../auth/passkey';
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

/** A new secret at each start of the set-up. It leaves the cache when the dialog closes. */
export const totpSetUp = queryOptions({
  queryKey: ['security', 'setUp'],
  queryFn: async ({ signal }) => {
    const { data } = await send(securityCalls.setUpTotp, { body: {} }, { signal });
    return 'secret' in data ? data : null;
  },
  gcTime: 0,
  // A read after an event or a reconnect would replace the secret that the person has just scanned.
  staleTime: 'static',
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

/** Confirms the set-up with a code. Returns the recovery codes, which the server shows only now. */
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
    mutationFn: () => send(securityCalls.removeTotp, { body: {} }),
    // The other devices are signed out, and the change is among the sign-ins.
    onSuccess: () => Promise.all([reread(cache, ['security']), reread(cache, oneUser().queryKey)]),
  });
}

export const useRenewRecoveryCodes = () =>
  useMutation({ mutationFn: () => send(securityCalls.renewRecoveryCodes, { body: {} }) });

export const passkeyList = queryOptions({
  queryKey: ['security', 'passkeys'],
  queryFn: ({ signal }) => send(securityCalls.listPasskeys, {}, { signal }),
});

/** A mutation of passkeys. After it, the passkeys, the sign-ins, the devices and the own account are read again. */
function usePasskeyChange<Input, Data>(mutationFn: (input: Input) => Promise<Data>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => Promise.all([reread(cache, ['security']), reread(cache, oneUser().queryKey)]),
  });
}

/** Adds a passkey. The result is null when the person cancels in the browser's dialog. */
export const useAddPasskey = () =>
  usePasskeyChange(async (name: string) => {
    const { data } = await send(securityCalls.askNewPasskey, { body: {} });
    const made = await makePasskey(data);
    if (!made) return null;
    const body = { ...made, name } as BodyInput<typeof securityCalls.addPasskey>;
    return (await send(securityCalls.addPasskey, { body })).data;
  });

export const useRenamePasskey = () =>
  usePasskeyChange(({ id, name }: { id: string; name: string }) =>
    send(securityCalls.renamePasskey, { params: { id }, body: { name } }),
  );

export const useRemovePasskey = () =>
  usePasskeyChange((id: string) => send(securityCalls.removePasskey, { params: { id }, body: {} }));

export const identityList = queryOptions({
  queryKey: ['security', 'identities'],
  queryFn: ({ signal }) => send(signOnCalls.listIdentities, {}, { signal }),
});

export const signOnProviders = queryOptions({
  queryKey: ['security', 'signOn'],
  queryFn: ({ signal }) => send(signOnCalls.listSignOn, {}, { signal }),
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

export const tokenList = queryOptions({
  queryKey: ['security', 'tokens'],
  queryFn: ({ signal }) => send(securityCalls.listTokens, {}, { signal }),
});

export function useCreateToken() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyInput<typeof securityCalls.createToken>) => send(securityCalls.createToken, { body }),
    onSuccess: () => reread(cache, ['security']),
    // The token leaves the memory with the dialog that shows it.
    gcTime: 0,
  });
}

export function useRevokeToken() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => send(securityCalls.revokeToken, { params: { id } }),
    onSettled: () => reread(cache, ['security']),
  });
}
