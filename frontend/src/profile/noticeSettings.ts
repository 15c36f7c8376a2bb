import { notificationCalls } from '@lightbox/contract/notifications/calls.js';
import type { NoticeSettings } from '@lightbox/contract/notifications/choices.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { send } from '../lib/http';
import { put, reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import { browserTimeZone } from '../lib/timeZone';
import { toast } from '../lib/toaster';

const key = ['notices', 'settings'] as const;

export const noticeSettings = queryOptions({
  queryKey: key,
  queryFn: async ({ signal }) => (await send(notificationCalls.getNoticeSettings, {}, { signal })).data,
});

/** Saves a change at once. The screen shows it before the server has answered, and undoes it if the server refuses. */
export function useChoose() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  return useMutation({
    mutationKey: key,
    // One after another, so that the last change wins.
    scope: { id: key.join() },
    mutationFn: (settings: NoticeSettings) =>
      send(notificationCalls.setNoticeSettings, { body: { ...settings, timeZone: browserTimeZone() } }),
    meta: { silent: 'always' },
    onMutate: (settings) => {
      const before = cache.getQueryData<NoticeSettings>(key);
      put(cache, key, settings);
      return before;
    },
    onError: (error, _, before) => {
      if (before) put(cache, key, before);
      toast.error(errorText(error, t('noticeSettings.failed')));
    },
    onSettled: () => {
      // This change still counts. A later one reads the settings itself.
      if (cache.isMutating({ mutationKey: key }) === 1) void reread(cache, key);
    },
  });
}

export const noticeSettingEvents = {
  feeds: [key],
  'notification:chosen': (_, cache) => {
    if (cache.isMutating({ mutationKey: key }) === 0) void reread(cache, key);
  },
} satisfies SocketRows;
