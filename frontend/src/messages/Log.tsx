import { Box, Button, Flex, Text, VisuallyHidden } from '@chakra-ui/react';
import type { Attachment, Message } from '@lightbox/contract/messages/calls.js';
import { ArrowDownIcon, ChatCircleTextIcon } from '@phosphor-icons/react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { Fragment, type RefObject, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAttentive } from '../lib/attention';
import { formatDay } from '../lib/format';
import { useNow } from '../lib/useNow';
import { EmptyState } from '../ui/EmptyState';
import { Bubble, type SentState, stateOf } from './Bubble';
import { type Chat, joinedToNext, unreadFrom } from './chat';
import { loadOlder } from './messages';
import type { Outgoing } from './outbox';
import { answer } from './reply/answer';
import { messageKeys } from './reply/messageKeys';
import { useQuoted } from './reply/quoted';
import { useSwipe } from './reply/useSwipe';
import { typingAtom } from './typing';
import type { Shown } from './useChatSearch';
import { useNewLine, useReadingPlace } from './useReadingPlace';
import { useScrollTo } from './useScrollTo';
import { useSeen } from './useSeen';

interface Props {
  chat: Chat;
  waiting: Outgoing[];
  userId: string;
  name: string;
  /** The words of a search, and the hit that is shown. */
  search?: Shown | undefined;
  onVerify: (card: Attachment) => void;
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

/** Shows that the other person is typing: three dots of decreasing opacity, without animation. */
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
      borderRadius="bubble"
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

/** Loads older messages near the start of the box, and while they do not fill it. */
function useOlder(chat: Chat, userId: string, box: RefObject<HTMLElement | null>) {
  const cache = useQueryClient();
  const { mutate, isPending, isError } = useMutation({
    mutationFn: () => loadOlder(cache, userId),
    meta: { silent: 'always' },
  });
  const reachBack = () => {
    if (chat.more && !isPending && !isError && box.current && box.current.scrollTop < 240) mutate();
  };
  // The user cannot scroll while the messages do not fill the box, so load the next page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: checked again after every page
  useEffect(() => {
    if (box.current && box.current.clientHeight > 0 && box.current.scrollHeight <= box.current.clientHeight)
      reachBack();
  }, [chat.messages]);
  return { load: mutate, pending: isPending, failed: isError, reachBack };
}

/** Above the messages: a button for older ones, or the note that there are none. */
function Start({ chat, older, name }: { chat: Chat; older: ReturnType<typeof useOlder>; name: string }) {
  const { t } = useTranslation();
  if (chat.more)
    return (
      <Button
        alignSelf="center"
        variant="ghost"
        size="sm"
        flex="none"
        loading={older.pending}
        onClick={() => older.load()}
      >
        {older.failed ? `${t('messages.olderFailed')} ${t('common.retry')}` : t('messages.older')}
      </Button>
    );
  if (chat.messages.length === 0) return null;
  return (
    <Text alignSelf="center" fontSize="xs" color="fg.muted">
      {t('messages.beginning', { name })}
    </Text>
  );
}

const DayChip = ({ label }: { label: string }) => (
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

interface Row {
  key: string;
  own: boolean;
  at: string;
  content: string;
  message?: Message;
  outgoing?: Outgoing;
}

const stateIn = ({ message }: Row): SentState => (message ? stateOf(message) : 'sending');

interface BubblesProps extends Props {
  /** The first unread message. */
  line: string | undefined;
  /** The message to which the reader was led: a hit of a search, or a quoted one. */
  found: string | undefined;
}

/** All stored and outgoing messages, with a date above the first one of each day. */
function Bubbles({ chat, waiting, userId, name, line, search, found, onVerify }: BubblesProps) {
  const today = new Date(useNow(60_000)).toDateString();
  const rows: Row[] = [
    ...chat.messages.map((message) => {
      const own = message.senderId !== userId;
      const { createAt: at, content } = message;
      return { key: (own && message.clientId) || message.id, own, at, content, message };
    }),
    ...waiting.map((outgoing) => {
      const { clientId: key, createAt: at, content } = outgoing;
      return { key, own: true, at, content, outgoing };
    }),
  ];
  const days = rows.map(({ at }) => formatDay(at));
  const joined = joinedToNext(rows, (i) => days[i] !== days[i - 1] || rows[i]?.message?.id === line);
  return rows.map((row, i) => {
    const { key, own, at, content, message, outgoing } = row;
    const next = rows[i + 1];
    return (
      <Fragment key={key}>
        {days[i] !== days[i - 1] && <DayChip label={days[i] ?? ''} />}
        {message && message.id === line && <NewLine />}
        <Bubble
          own={own}
          name={name}
          content={content}
          at={at}
          {...(message && { message })}
          {...(outgoing && { outgoing })}
          // Of one’s own messages each state is shown once.
          joined={joined[i] === true && next !== undefined && (!own || stateIn(row) === stateIn(next))}
          words={search?.words}
          found={message !== undefined && message.id === found}
          last={next === undefined}
          onVerify={onVerify}
          today={today}
        />
      </Fragment>
    );
  });
}

/** A button to the newest message, with the number of unread ones. */
function ToEnd({ unread, onClick }: { unread: number; onClick: () => void }) {
  const { t } = useTranslation();
  return (
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
      onClick={onClick}
      aria-label={t('messages.jump', { count: unread })}
    >
      <ArrowDownIcon aria-hidden />
      {unread > 0 && t('messages.jump', { count: unread })}
    </Button>
  );
}

/** The messages of one chat. Mounted per chat, after its messages are loaded. */
export function Log({ chat, waiting, userId, name, search, onVerify }: Props) {
  const { t } = useTranslation();
  const typing = userId in useAtomValue(typingAtom);
  const { box, following, away, noticePlace, toEnd } = useReadingPlace(chat, waiting, typing);
  const line = useNewLine(chat, { userId, following, sent: waiting.at(-1)?.clientId });
  useSeen(box, chat);

  const older = useOlder(chat, userId, box);
  const swipe = useSwipe((id) => {
    const message = chat.messages.find((one) => one.id === id);
    if (message) answer(userId, message);
  });
  // The place of a hit is kept until the next one: the search may end, and the reader stays there.
  useScrollTo(box, search?.hit, search?.turn, noticePlace);
  const quoted = useQuoted(userId);
  useScrollTo(box, quoted?.id, quoted?.turn, noticePlace);
  // A screen reader announces only messages that arrive after opening, while this tab has the focus.
  const focused = useAttentive();
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);

  const empty = chat.messages.length + waiting.length === 0;
  return (
    <Box position="relative" flex="1" minH="0" display="flex">
      <Flex
        ref={box}
        role="log"
        aria-label={t('messages.with', { name })}
        aria-live={opened && focused && !older.pending ? 'polite' : 'off'}
        aria-busy={older.pending}
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
        // `useReadingPlace` keeps the scroll position, so that all browsers behave the same.
        // A finger that moves sideways answers a message.
        css={{ overflowAnchor: 'none', touchAction: 'pan-y pinch-zoom' }}
        _focusVisible={{ outlineOffset: '-3px !important' }}
        onKeyDown={messageKeys}
        {...swipe}
        onScroll={() => {
          noticePlace();
          older.reachBack();
        }}
      >
        {/* Aligns a short conversation with the end of the box. */}
        {!empty && <Box flex="1 0 0" aria-hidden />}
        <Start chat={chat} older={older} name={name} />
        {empty && (
          <Box m="auto">
            <EmptyState
              Icon={ChatCircleTextIcon}
              title={t('messages.noMessages')}
              text={t('messages.noMessagesText')}
            />
          </Box>
        )}
        <Bubbles
          chat={chat}
          waiting={waiting}
          userId={userId}
          name={name}
          line={line}
          search={search}
          found={search?.hit ?? quoted?.id}
          onVerify={onVerify}
        />
        <Typing userId={userId} name={name} />
      </Flex>
      {away && <ToEnd unread={unreadFrom(chat, userId).length} onClick={toEnd} />}
    </Box>
  );
}
