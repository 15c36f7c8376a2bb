import { Box, Button, Flex, Text, VisuallyHidden } from '@chakra-ui/react';
import { ArrowDownIcon, ChatCircleTextIcon } from '@phosphor-icons/react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { Fragment, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { attentive, useAttentive } from '../lib/attention';
import { daysAgo, formatDate, formatLongDay } from '../lib/format';
import { useNow } from '../lib/useNow';
import { EmptyState } from '../ui/EmptyState';
import { Bubble } from './Bubble';
import { type Chat, unreadFrom } from './chat';
import { loadOlder } from './messages';
import type { Outgoing } from './outbox';
import { typingAtom } from './typing';
import { useSeen } from './useSeen';

interface Props {
  chat: Chat;
  waiting: Outgoing[];
  userId: string;
  name: string;
}

function useDay() {
  const { t } = useTranslation();
  return (at: string) => {
    const days = daysAgo(at);
    if (days === 0) return t('common.today');
    if (days === 1) return t('common.yesterday');
    return new Date(at).getFullYear() === new Date().getFullYear() ? formatLongDay(at) : formatDate(at);
  };
}

const NewLine = () => {
  const { t } = useTranslation();
  const stroke = { content: '""', flex: '1', h: '1px', bg: 'currentColor', opacity: '.5' };
  return (
    <Flex
      data-new
      align="center"
      gap="3"
      color="accent.fg"
      fontSize="xs"
      fontWeight="650"
      mt="2.5"
      mb="1.5"
      _before={stroke}
      _after={stroke}
    >
      {t('messages.newMessages')}
    </Flex>
  );
};

/** Three dots of falling strength; they keep still. */
function Typing({ userId, name }: { userId: string; name: string }) {
  const { t } = useTranslation();
  const typing = userId in useAtomValue(typingAtom);
  if (!typing) return null;
  return (
    <Flex
      alignSelf="flex-start"
      gap="1"
      px="15px"
      py="13px"
      mb="7px"
      borderRadius="17px"
      borderEndStartRadius="5px"
      bg="chat.other"
      color="chat.meta"
    >
      <VisuallyHidden>{t('messages.typing', { name })}</VisuallyHidden>
      {[1, 0.7, 0.4].map((opacity) => (
        <Box key={opacity} boxSize="7px" borderRadius="full" bg="currentColor" opacity={opacity} aria-hidden />
      ))}
    </Flex>
  );
}

/** Near enough to the end to follow it. */
const near = 60;
const atEnd = (box: HTMLElement) => box.scrollHeight - box.scrollTop - box.clientHeight < near;

/**
 * Where the reader is: at the end, and follows what comes; or further up, and nothing moves under their eyes, not even
 * when older messages come in above.
 */
function useReadingPlace(chat: Chat, waiting: Outgoing[], typing: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const [away, setAway] = useState(false);
  const before = useRef<{ first: string | undefined; height: number; sent: string | undefined } | undefined>(undefined);

  const noticePlace = () => {
    if (!box.current) return;
    following.current = atEnd(box.current);
    setAway(!following.current);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is looked after whenever the content changes
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

  // The keyboard of a phone, a growing message field: the end stays in sight.
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

/** Over the first message that came unseen, until one answers or leaves. */
function useNewLine(
  chat: Chat,
  { userId, following, sent }: { userId: string; following: { current: boolean }; sent: string | undefined },
) {
  const [line, setLine] = useState(() => unreadFrom(chat, userId)[0]?.id);
  const first = unreadFrom(chat, userId)[0]?.id;
  useEffect(() => {
    if (first && !(attentive() && following.current)) setLine(first);
  }, [first, following]);
  const before = useRef(sent);
  useEffect(() => {
    if (sent && sent !== before.current) setLine(undefined);
    before.current = sent;
  }, [sent]);
  return line;
}

/** The messages of one chat. Mounted per chat, once its messages are there. */
export function Log({ chat, waiting, userId, name }: Props) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const dayOf = useDay();
  const today = new Date(useNow(60_000)).toDateString();
  const typing = userId in useAtomValue(typingAtom);
  const { box, following, away, noticePlace, toEnd } = useReadingPlace(chat, waiting, typing);
  const line = useNewLine(chat, { userId, following, sent: waiting.at(-1)?.clientId });
  useSeen(box, chat);

  const older = useMutation({ mutationFn: () => loadOlder(cache, userId), meta: { silent: true } });
  const { mutate, isPending, isError } = older;
  const reachBack = () => {
    if (chat.more && !isPending && !isError && box.current && box.current.scrollTop < 240) mutate();
  };
  // A page that does not fill the box leaves nothing to scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at again after every page
  useEffect(() => {
    if (box.current && box.current.clientHeight > 0 && box.current.scrollHeight <= box.current.clientHeight)
      reachBack();
  }, [chat.messages]);

  // What was there on opening is not read out; what comes then is, while this tab has the focus.
  const focused = useAttentive();
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);

  const unread = unreadFrom(chat, userId).length;
  const { messages } = chat;
  let day = '';
  const chip = (at: string) => {
    const label = dayOf(at);
    if (label === day) return null;
    day = label;
    return (
      <Text
        alignSelf="center"
        fontSize="xs"
        fontWeight="semibold"
        color="fg.muted"
        bg="bg.subtle"
        px="3"
        py="1"
        borderRadius="full"
        mt="1.5"
        mb="2.5"
      >
        {label}
      </Text>
    );
  };

  return (
    <Box position="relative" flex="1" minH="0" display="flex">
      <Flex
        ref={box}
        role="log"
        aria-label={t('messages.with', { name })}
        aria-live={opened && focused && !isPending ? 'polite' : 'off'}
        aria-busy={isPending}
        tabIndex={0}
        direction="column"
        gap="5px"
        flex="1"
        minW="0"
        overflowY="auto"
        overflowX="hidden"
        overscrollBehavior="contain"
        px={{ base: '3.5', lg: '26px' }}
        pt="4"
        pb="2"
        // We keep the place ourselves, the same in every browser.
        css={{ overflowAnchor: 'none' }}
        _focusVisible={{ outlineOffset: '-3px !important' }}
        onScroll={() => {
          noticePlace();
          reachBack();
        }}
      >
        {/* Pushes a short conversation to the end of the box. */}
        {messages.length + waiting.length > 0 && <Box flex="1 0 0" aria-hidden />}
        {chat.more && (
          <Button alignSelf="center" variant="ghost" size="sm" flex="none" loading={isPending} onClick={() => mutate()}>
            {isError ? `${t('messages.olderFailed')} ${t('common.retry')}` : t('messages.older')}
          </Button>
        )}
        {!chat.more && messages.length > 0 && (
          <Text alignSelf="center" fontSize="xs" color="fg.muted">
            {t('messages.beginning')}
          </Text>
        )}
        {messages.length + waiting.length === 0 && (
          <Box m="auto">
            <EmptyState
              Icon={ChatCircleTextIcon}
              title={t('messages.noMessages')}
              text={t('messages.noMessagesText')}
            />
          </Box>
        )}
        {messages.map((message) => {
          const own = message.senderId !== userId;
          return (
            <Fragment key={(own && message.clientId) || message.id}>
              {chip(message.createAt)}
              {message.id === line && <NewLine />}
              <Bubble
                own={own}
                name={name}
                content={message.content}
                at={message.createAt}
                message={message}
                today={today}
              />
            </Fragment>
          );
        })}
        {waiting.map((item) => (
          <Fragment key={item.clientId}>
            {chip(item.createAt)}
            <Bubble own name={name} content={item.content} at={item.createAt} outgoing={item} today={today} />
          </Fragment>
        ))}
        <Typing userId={userId} name={name} />
      </Flex>
      {away && (
        <Button
          position="absolute"
          bottom="3"
          insetStart="50%"
          transform="translateX(-50%)"
          _rtl={{ transform: 'translateX(50%)' }}
          _active={{}}
          size="sm"
          variant="outline"
          borderRadius="full"
          boxShadow="float"
          bg="bg.panel"
          {...(unread > 0 ? { color: 'accent.fg' } : { px: '0', boxSize: '40px', color: 'fg' })}
          onClick={toEnd}
          aria-label={t('messages.jump', { count: unread })}
        >
          <ArrowDownIcon aria-hidden />
          {unread > 0 && t('messages.jump', { count: unread })}
        </Button>
      )}
    </Box>
  );
}
