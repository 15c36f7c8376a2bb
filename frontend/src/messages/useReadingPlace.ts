import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { attentive } from '../lib/attention';
import { type Chat, unreadFrom } from './chat';
import type { Outgoing } from './outbox';

/** Within this distance of the end, in pixels, the box follows new messages. */
const near = 60;
const atEnd = (box: HTMLElement) => box.scrollHeight - box.scrollTop - box.clientHeight < near;

/**
 * Keeps the scroll position. At the end, the box follows new messages. Further up nothing moves, not even when older
 * messages are added above.
 */
export function useReadingPlace(chat: Chat, waiting: Outgoing[], typing: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const [away, setAway] = useState(false);
  const before = useRef<{ first: string | undefined; height: number; sent: string | undefined } | undefined>(undefined);

  const noticePlace = () => {
    if (!box.current) return;
    following.current = atEnd(box.current);
    setAway(!following.current);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is restored whenever the content changes
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const now = { first: chat.messages[0]?.id, height: element.scrollHeight, sent: waiting.at(-1)?.clientId };
    const { current: last } = before;
    before.current = now;
    if (!last) {
      const line = element.querySelector<HTMLElement>('[data-new]');
      element.scrollTop = line ? line.offsetTop - 48 : element.scrollHeight;
    } else if (now.sent && now.sent !== last.sent) {
      element.scrollTop = element.scrollHeight;
    } else if (now.first !== last.first) {
      element.scrollTop += now.height - last.height;
    } else if (following.current) {
      element.scrollTop = element.scrollHeight;
    }
    noticePlace();
  }, [chat.messages, waiting, typing]);

  // The end stays visible when the keyboard of a phone opens or the message field grows.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => {
      if (following.current) element.scrollTop = element.scrollHeight;
    });
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight, behavior: 'smooth' });
  return { box, following, away, noticePlace, toEnd };
}

/**
 * Returns the id of the first unread message. A line above it stays until the reader answers or leaves. It does not move
 * while the reader goes through the messages below it: only messages that arrive after all were read get a new line.
 */
export function useNewLine(
  chat: Chat,
  { userId, following, sent }: { userId: string; following: { current: boolean }; sent: string | undefined },
) {
  const [line, setLine] = useState(() => unreadFrom(chat, userId)[0]?.id);
  const first = unreadFrom(chat, userId)[0]?.id;
  const allRead = useRef(first === undefined);
  useEffect(() => {
    if (!first) allRead.current = true;
    else if (allRead.current && !(attentive() && following.current)) {
      allRead.current = false;
      setLine(first);
    }
  }, [first, following]);
  const before = useRef(sent);
  useEffect(() => {
    if (sent && sent !== before.current) setLine(undefined);
    before.current = sent;
  }, [sent]);
  return line;
}
