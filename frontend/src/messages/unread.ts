import { useQuery } from '@tanstack/react-query';
import { useSetAtom } from 'jotai';
import { useEffect } from 'react';
import { holdPrivate } from '../lib/private';
import { titleCountAtom } from '../lib/title';
import { totalUnread } from './chat';
import { chatList } from './messages';

// The icon keeps its number when the screens are gone.
holdPrivate(() => void navigator.clearAppBadge?.().catch(() => {}));

/** The number of unread messages, for the menu and the bottom bar. */
export const useUnreadMessages = () => useQuery({ ...chatList, select: totalUnread }).data ?? 0;

/** Shows the number of unread messages in the tab's title and on the icon of the installed app. */
export function useUnreadInTitle() {
  const unread = useUnreadMessages();
  const show = useSetAtom(titleCountAtom);
  useEffect(() => {
    show(unread);
    navigator.setAppBadge?.(unread).catch(() => {});
    return () => show(0);
  }, [unread, show]);
}
