import { useQuery } from '@tanstack/react-query';
import { useSetAtom } from 'jotai';
import { useEffect } from 'react';
import { titleCountAtom } from '../lib/title';
import { totalUnread } from './chat';
import { chatList } from './messages';

/** Unread messages, for the menu and the bottom bar. */
export const useUnreadMessages = () => useQuery({ ...chatList, select: totalUnread }).data ?? 0;

/** The same in the tab's title and on the installed app's icon. */
export function useUnreadInTitle() {
  const unread = useUnreadMessages();
  const show = useSetAtom(titleCountAtom);
  useEffect(() => {
    show(unread);
    navigator.setAppBadge?.(unread).catch(() => {});
    return () => show(0);
  }, [unread, show]);
}
