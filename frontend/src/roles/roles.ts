import { roleCalls } from '@lightbox/contract/roles/calls.js';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../lib/http';

// Roles and permissions change only with a release.
const staleTime = Number.POSITIVE_INFINITY;

export const roleNames = queryOptions({
  queryKey: ['roles', 'names'],
  queryFn: ({ signal }) => send(roleCalls.listRoles, {}, { signal }),
  staleTime,
});
export const permissionNames = queryOptions({
  queryKey: ['roles', 'permissions'],
  queryFn: ({ signal }) => send(roleCalls.listPermissions, {}, { signal }),
  staleTime,
});
