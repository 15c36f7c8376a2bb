import type { Role } from '@lightbox/contract/permissions.js';
import { userCalls } from '@lightbox/contract/users/calls.js';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { send } from '../lib/http';

/** A few people by a word of their name or e-mail, found by the server. */
export const findPeople = (search: string, role?: Role, limit = 6) =>
  queryOptions({
    queryKey: ['users', 'find', { search, role, limit }],
    queryFn: ({ signal }) =>
      send(userCalls.listUsers, { query: { search: search || undefined, role, limit } }, { signal }),
    placeholderData: keepPreviousData,
  });
