import { limits } from '@lightbox/contract/limits.js';
import { type PublicSettings, settingCalls } from '@lightbox/contract/settings/calls.js';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { coalesce } from './coalesce';
import { send } from './http';
import { reread } from './live';
import type { SocketRows } from './socket';

const defaults: PublicSettings = {
  'clinic.name': '',
  'clinic.phone': '',
  'clinic.url': '',
  'upload.maxBytes': limits.uploadBytes,
  'sharing.expiryHours': limits.shareHours,
  'session.idleMinutes': limits.sessionIdleMinutes,
  'analysis.consent': 'off',
  'viewer.url': '',
};

/**
 * The settings that every client may read. Read once, and again after each `settings:changed`; no activity of the
 * person.
 */
export const publicSettings = queryOptions({
  queryKey: ['settings', 'public'],
  queryFn: async ({ signal }) => (await send(settingCalls.getPublicSettings, {}, { signal, background: true })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Returns the current settings, or the defaults until the server's answer is there. */
export const usePublicSettings = (): PublicSettings => useQuery(publicSettings).data ?? defaults;

export const publicSettingsIn = (cache: QueryClient): PublicSettings =>
  cache.getQueryData(publicSettings.queryKey) ?? defaults;

/**
 * A random delay in ms: every client gets the event in the same moment, and they must not all send requests at once.
 */
const soon = () => Math.random() * 1_000;

export const settingEvents = {
  feeds: [['settings']],
  'settings:changed': (_, cache) => coalesce('settings', () => void reread(cache, ['settings']), soon()),
} satisfies SocketRows;
