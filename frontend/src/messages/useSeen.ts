import { useQueryClient } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { type RefObject, useCallback, useEffect } from 'react';
import { attentive, watchAttention } from '../lib/attention';
import { socketAtom } from '../lib/connection';
import { type Chat, seenUpTo } from './chat';
import { markRead } from './readMarks';

/** True when a dialog or the menu covers the chat. Everything behind it is then hidden from assistive technology. */
const covered = (element: Element) => element.closest('[aria-hidden="true"],[inert]') !== null;

/** The height in pixels that must be visible before a message counts as seen. */
const seenHeight = 24;

/** Returns the id of the newest unread message that is visible in the box. */
function seenIn(box: HTMLElement): string | undefined {
  const view = box.getBoundingClientRect();
  const rows = [...box.querySelectorAll<HTMLElement>('[data-unread]')];
  return rows.findLast((row) => {
    const { top, bottom, height } = row.getBoundingClientRect();
    return top <= view.bottom - Math.min(height, seenHeight) && bottom >= view.top;
  })?.dataset.unread;
}

/** Marks visible messages as read while the tab has the focus and nothing covers the chat. */
export function useSeen(box: RefObject<HTMLElement | null>, chat: Chat) {
  const cache = useQueryClient();
  const connected = useAtomValue(socketAtom) === 'on';
  const markVisible = useCallback(() => {
    const element = box.current;
    if (!element || !connected || !attentive() || covered(element)) return;
    const message = seenUpTo(chat, seenIn(element));
    if (message) void markRead(cache, message);
  }, [box, chat, connected, cache]);

  useEffect(() => {
    markVisible();
    const element = box.current;
    // No event reports that a dialog over the chat has closed, so check every second.
    const timer = setInterval(markVisible, 1000);
    element?.addEventListener('scroll', markVisible, { passive: true });
    const unwatch = watchAttention(markVisible);
    return () => {
      clearInterval(timer);
      element?.removeEventListener('scroll', markVisible);
      unwatch();
    };
  }, [markVisible, box]);
}
