import type { BodyInput, QueryInput } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { userCalls } from '@lightbox/contract/users/calls.js';
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../auth/session';
import { fullName } from '../lib/format';
import { download, send } from '../lib/http';
import { put, reread } from '../lib/live';
import { datedName, saveBlob } from '../lib/save';
import type { SocketRows } from '../lib/socket';
import { toast } from '../lib/toaster';

type ListQuery = QueryInput<typeof userCalls.listUsers>;

export const userList = (query: ListQuery) =>
  queryOptions({
    queryKey: ['users', 'list', query],
    queryFn: ({ signal }) => send(userCalls.listUsers, { query }, { signal }),
    placeholderData: keepPreviousData,
  });

/** The query of an account by its id, or of the own account without an id. */
export const oneUser = (id?: string) =>
  queryOptions({
    queryKey: ['users', 'one', id ?? 'me'],
    queryFn: ({ signal }) =>
      id ? send(userCalls.getUser, { params: { id } }, { signal }) : send(userCalls.getProfile, {}, { signal }),
  });

export const stats = queryOptions({
  queryKey: ['users', 'stats'],
  queryFn: ({ signal }) => send(userCalls.getStats, {}, { signal }),
});

/** The query of the providers who wait for approval. */
export const pendingProviders = (page: Pick<ListQuery, 'page' | 'limit' | 'cursor' | 'sort'> = {}) =>
  userList({ role: 'healthProvider', status: 'pending', limit: 10, ...page });

/** Returns the number of waiting providers. Without the permission to approve, no request is sent and it is 0. */
export function usePendingCount(): number {
  const may = useMay('user.approve');
  const { data } = useQuery({ ...pendingProviders(), enabled: may });
  return data?.pagination?.totalItems ?? 0;
}

const changed = (cache: QueryClient) => reread(cache, ['users']);

/** A mutation that changes an account. After it, every list of people is read again. */
function useAccountChange<Variables>(call: (variables: Variables) => Promise<{ message?: string }>, fallback?: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: call,
    meta: fallback ? { fallback } : {},
    onSettled: () => changed(cache),
  });
}

export const useToggleUser = () =>
  useAccountChange(({ id, active }: { id: string; active: boolean }) =>
    send(userCalls.toggleUserStatus, { params: { id }, body: { active } }),
  );

export const useDeleteUser = () => useAccountChange((id: string) => send(userCalls.deleteUser, { params: { id } }));

/** Downloads the list as a CSV file. The server records the export in the audit log. */
export const useExportUsers = (fallback: string) =>
  useMutation({
    mutationFn: async (query: QueryInput<typeof userCalls.exportUsers>) =>
      saveBlob(await download(userCalls.exportUsers, { query }), datedName('users', 'csv')),
    meta: { fallback },
  });

export const useChangeRole = () =>
  useAccountChange(({ id, role }: { id: string; role: Role }) =>
    send(userCalls.changeRole, { params: { id }, body: { role } }),
  );

export const useResetApp = () => useAccountChange((id: string) => send(userCalls.resetUserTotp, { params: { id } }));

/** Changes the own profile. The form shows the errors. */
export function useUpdateProfile() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyInput<typeof userCalls.updateProfile>) => send(userCalls.updateProfile, { body }),
    meta: { silent: true },
    onSuccess: (answer) => {
      put(cache, oneUser().queryKey, answer);
      void changed(cache);
    },
  });
}

export const useCloseAccount = () =>
  useMutation({
    mutationFn: (password: string) => send(userCalls.deleteProfile, { body: { password } }),
    meta: { silent: true },
  });

/** Approves a provider. For some seconds a toast offers to take the approval back. */
export function useApprove() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  // The options of the hook apply also when its component is gone; those of `mutate` do not.
  const undo = useMutation({
    mutationFn: (email: string) => send(userCalls.undoApproval, { body: { email } }),
    meta: { fallback: t('users.approve.undoFailed') },
    onSettled: () => changed(cache),
    onSuccess: ({ data }) => toast.success(t('users.approve.undone', { name: fullName(data) })),
  });
  return useMutation({
    mutationFn: (email: string) => send(userCalls.approveProvider, { body: { email } }),
    meta: { fallback: t('users.approve.failed') },
    onSettled: () => changed(cache),
    onSuccess: ({ message, data }) => {
      toast.success(message ?? t('users.approve.done'), {
        description: fullName(data),
        duration: limits.undoToastMs,
        action: { label: t('users.approve.undo'), onClick: () => undo.mutate(data.email) },
      });
    },
  });
}

export const useReject = () =>
  useAccountChange((body: { email: string; reason: string }) => send(userCalls.rejectProvider, { body }));

export const userEvents = {
  feeds: [['users', 'list']],
  'notification:new': ({ kind }, cache) => {
    if (kind === 'provider.registered') void changed(cache);
  },
} satisfies SocketRows;
