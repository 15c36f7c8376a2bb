import { useQueryClient } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { type RefObject, useCallback, useEffect } from 'react';
import { attentive, watchAttention } from '../lib/attention';
import { socketAtom } from '../lib/connection';
import { type Chat, seenUpTo } from './chat';
import { markRead } from './readMarks';

/** A dialog or the menu lies over the chat: everything behind it is hidden from assistive technology, too. */
const covered = (element: Element) => element.closest('[aria-hidden="true"],[inert]') !== null;

/** Enough of it shows to have been seen. */
const glimpse = 24;

/** The newest unread message within the box. */
export function seenIn(box: HTMLElement): string | undefined {
  const view = box.getBoundingClientRect();
  const rows = [...box.querySelectorAll<HTMLElement>('[data-unread]')];
  return rows.findLast((row) => {
    const { top, bottom, height } = row.getBoundingClientRect();
    return top <= view.bottom - Math.min(height, glimpse) && bottom >= view.top;
  })?.dataset.unread;
}

/** Marks as read what somebody sees: the tab visible and focused, the chat on top, the message in view. */
export function useSeen(box: RefObject<HTMLElement | null>, chat: Chat) {
  const cache = useQueryClient();
  const connected = useAtomValue(socketAtom) === 'on';
  const look = useCallback(() => {
    const element = box.current;
    if (!element || !connected || !attentive() || covered(element)) return;
    const message = seenUpTo(chat, seenIn(element));
    if (message) void markRead(cache, message);
  }, [box, chat, connected, cache]);

  useEffect(() => {
    look();
    const element = box.current;
    // What covers the chat goes without a word; a look every second notices.
    const timer = setInterval(look, 1000);
    element?.addEventListener('scroll', look, { passive: true });
    const unwatch = watchAttention(look);
    return () => {
      clearInterval(timer);
      element?.removeEventListener('scroll', look);
      unwatch();
    };
  }, [look, box]);
}
