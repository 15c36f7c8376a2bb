import type { Routes } from '@lightbox/contract/call.js';
import type { guestCalls } from '@lightbox/contract/guests/calls.js';
import { guestRoutes } from '@lightbox/contract/guests/routes.js';
import { limits } from '@lightbox/contract/limits.js';
import { queryOptions } from '@tanstack/react-query';
import { ApiError, send } from '../lib/http';

const calls: Routes<Pick<typeof guestCalls, keyof typeof guestRoutes>> = guestRoutes;
const guestKey = ['guest'] as const;

/** The state of a link, for the person who has its whole address. */
export const linkState = (address: string) =>
  queryOptions({
    queryKey: [...guestKey, 'state', address],
    queryFn: async ({ signal }) =>
      (await send(calls.askGuestLink, { body: { link: address } }, { token: 'none', signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

export const openLink = (address: string, code: string) =>
  send(calls.openGuestLink, { body: { link: address, code } }, { token: 'none' });

/** True when the server refuses the token: the link has ended, or the token has. */
export const isOver = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** The image or the series that a guest may look at. */
export const guestView = (token: string) =>
  queryOptions({
    queryKey: [...guestKey, 'view', token],
    queryFn: async ({ signal }) => (await send(calls.getGuestView, {}, { token, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** Asks twice a second if the link is still open, also while the tab is in the background. */
export const alive = (token: string) =>
  queryOptions({
    queryKey: [...guestKey, 'alive', token],
    queryFn: async ({ signal }) => (await send(calls.askGuest, {}, { token, signal })).data,
    refetchInterval: ({ state }) => (isOver(state.error) ? false : limits.guestPollMs),
    refetchIntervalInBackground: true,
    gcTime: 0,
    retry: false,
  });
