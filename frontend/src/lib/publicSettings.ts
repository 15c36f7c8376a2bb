import { limits } from '@lightbox/contract/limits.js';
import { type PublicSettings, settingCalls } from '@lightbox/contract/settings/calls.js';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { coalesce } from './coalesce';
import { send } from './http';
import { reread } from './live';
import type { SocketRows } from './socket';

const defaults: PublicSettings = {
  'upload.maxBytes': limits.uploadBytes,
  'sharing.expiryHours': limits.shareHours,
  'session.idleMinutes': limits.sessionIdleMinutes,
};

/** Read once; an event tells of every change. Nobody asked for it, so it keeps no idle session alive. */
export const publicSettings = queryOptions({
  queryKey: ['settings', 'public'],
  queryFn: async ({ signal }) => (await send(settingCalls.getPublicSettings, {}, { signal, background: true })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** What holds now; the defaults until it is known. */
export const usePublicSettings = (): PublicSettings => useQuery(publicSettings).data ?? defaults;

export const publicSettingsIn = (cache: QueryClient): PublicSettings =>
  cache.getQueryData(publicSettings.queryKey) ?? defaults;

/** All who are signed in hear it in the same moment: spread out, so that they do not all ask at once. */
const soon = () => Math.random() * 1_000;

export const settingEvents = {
  feeds: [['settings']],
  'settings:changed': (_, cache) => coalesce('settings', () => void reread(cache, ['settings']), soon()),
} satisfies SocketRows;
