import { Box, Button, Flex, Heading, IconButton, Input, InputGroup, Text, VisuallyHidden } from '@chakra-ui/react';
import type { ChatListEntry } from '@lightbox/contract/messages/calls.js';
import { ArrowsClockwiseIcon, ChatsCircleIcon, MagnifyingGlassIcon, NotePencilIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { memo, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { userAtom } from '../auth/session';
import { formatWhen, fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { useConnected } from '../lib/useConnected';
import { useNow } from '../lib/useNow';
import { Count } from '../ui/Count';
import { EmptyState } from '../ui/EmptyState';
import { PersonSkeleton } from '../ui/Skeletons';
import { Tooltip } from '../ui/Tooltip';
import { UserAvatar } from '../ui/UserAvatar';
import { chatList } from './messages';
import { draftsAtom } from './outbox';
import { wordsOfKind } from './reply/words';
import { rowKeys } from './rowKeys';

const chatAddress = paths.chat;

interface RowProps {
  entry: ChatListEntry;
  current: boolean;
  own: boolean;
  online: boolean;
  /** The unsent text, of a chat that is not open. */
  draft?: string | undefined;
  /** The list formats the time, because "14:11" becomes "Yesterday" at midnight. */
  when: string;
}

const ChatRow = memo(function ChatRow({ entry, current, own, online, draft, when }: RowProps) {
  const { t } = useTranslation();
  const { user, lastMessage, unread } = entry;
  const quiet = current ? 'accent.onSubtle' : 'fg.muted';
  const text = (draft ?? (lastMessage.content || wordsOfKind(t, lastMessage))).replace(/\s+/g, ' ');
  return (
    <Box as="li" px="2" py="1px">
      <Flex
        asChild
        gap="3"
        align="center"
        px="3"
        py="11px"
        borderRadius="box"
        bg={current ? 'accent.subtle' : 'transparent'}
        color="fg"
        textDecoration="none"
        transition="background-color"
        transitionDuration="fade"
        _hover={current ? {} : { bg: 'bg.muted' }}
      >
        <Link to={chatAddress(user.id)} data-row data-chat={user.id} {...(current && { 'aria-current': 'true' })}>
          <UserAvatar person={user} role={user.role} online={online} lit={current} />
          <Box minW="0" flex="1">
            <Flex align="baseline" gap="2">
              <Text as="span" flex="1" minW="0" truncate dir="auto" fontWeight={unread ? '700' : 'semibold'}>
                <bdi>{fullName(user)}</bdi>
              </Text>
              {online && <VisuallyHidden>, {t('messages.isOnline')},</VisuallyHidden>}
              <Text as="span" fontSize="xs" color={quiet} whiteSpace="nowrap" fontVariantNumeric="tabular-nums">
                {when}
              </Text>
            </Flex>
            <Flex align="center" gap="2" minH="20px">
              <Flex
                as="span"
                flex="1"
                minW="0"
                gap="1"
                fontSize="sm"
                lineHeight="1.45"
                color={unread ? 'fg' : quiet}
                fontWeight={unread ? 'semibold' : 'normal'}
              >
                {draft !== undefined ? (
                  <Text as="span" flex="none" color={current ? quiet : 'danger.fg'} fontWeight="semibold">
                    {t('messages.draft')}{' '}
                  </Text>
                ) : (
                  own && (
                    <Text as="span" flex="none">
                      {t('messages.youSaid')}{' '}
                    </Text>
                  )
                )}
                {/* The direction of the text decides at which end it is truncated. It still starts at the edge of the row. */}
                <Text as="span" flex="1" minW="0" truncate dir="auto">
                  {text}
                </Text>
              </Flex>
              {unread > 0 && <Count value={unread} label={t('messages.unread', { count: unread })} />}
            </Flex>
          </Box>
        </Link>
      </Flex>
    </Box>
  );
});

interface Props {
  open: string | undefined;
  /** The chat that gets the focus: the one that the viewer has just left. */
  focus?: string | undefined;
  newChat: RefObject<HTMLButtonElement | null>;
  onNewChat: () => void;
}

/** Lists the chats of the viewer, the newest first. */
export function ChatList({ open, focus, newChat, onNewChat }: Props) {
  const { t } = useTranslation();
  const me = useAtomValue(userAtom)?.id;
  const { data, isPending, isError, isFetching, refetch } = useQuery(chatList);
  // Without a connection the list does not know who is online.
  const connected = useConnected();
  const drafts = useAtomValue(draftsAtom);
  const [search, setSearch] = useState('');
  const rows = useRef<HTMLUListElement>(null);
  useNow(60_000);

  const came = useRef(focus);
  useEffect(() => {
    if (came.current) rows.current?.querySelector<HTMLElement>(`[data-chat="${came.current}"]`)?.focus();
    came.current = undefined;
  }, []);

  const wanted = search.trim().toLocaleLowerCase();
  const shown = (data ?? []).filter(({ user }) => fullName(user).toLocaleLowerCase().includes(wanted));
  return (
    <Flex
      as="section"
      aria-labelledby="chats"
      direction="column"
      minH="0"
      minW="0"
      borderEndWidth={{ base: '0', lg: '1px' }}
      borderColor="border"
    >
      <Flex align="center" gap="1.5" ps="5" pe="4.5" pt="4" pb="3" wrap="wrap">
        <Heading as="h2" id="chats" textStyle="section" flex="1">
          {t('messages.chats')}
        </Heading>
        <Tooltip content={t('messages.refresh')}>
          <IconButton
            variant="ghost"
            aria-label={t('messages.refresh')}
            loading={isFetching && !isPending}
            onClick={() => void refetch()}
          >
            <ArrowsClockwiseIcon />
          </IconButton>
        </Tooltip>
        <Tooltip content={t('messages.newChat')}>
          <IconButton ref={newChat} variant="subtle" aria-label={t('messages.newChat')} onClick={onNewChat}>
            <NotePencilIcon />
          </IconButton>
        </Tooltip>
      </Flex>
      {data && data.length > 0 && (
        <Box px="4" pb="3" onKeyDown={rowKeys(rows)}>
          <InputGroup
            startElement={<MagnifyingGlassIcon size={20} aria-hidden />}
            startElementProps={{ color: 'fg.muted' }}
          >
            <Input
              type="search"
              aria-label={t('messages.searchChats')}
              placeholder={t('messages.searchChats')}
              value={search}
              onChange={(event) => setSearch(event.target.value)}
              h="control"
              borderRadius="control"
            />
          </InputGroup>
        </Box>
      )}
      <Box flex="1" minH="0" overflowY="auto" pb="2">
        {isPending && (
          <Box px="5" role="status" aria-label={t('common.loading')}>
            {[1, 2, 3, 4].map((row) => (
              <PersonSkeleton key={row} />
            ))}
          </Box>
        )}
        {isError && !data && (
          <EmptyState
            Icon={ChatsCircleIcon}
            title={t('common.couldNotLoad')}
            act={
              <Button variant="subtle" onClick={() => void refetch()}>
                {t('common.retry')}
              </Button>
            }
          />
        )}
        {data?.length === 0 && (
          <EmptyState
            Icon={ChatsCircleIcon}
            title={t('messages.noChats')}
            text={t('messages.noChatsText')}
            act={
              <Button variant="subtle" onClick={onNewChat}>
                <NotePencilIcon />
                {t('messages.newChat')}
              </Button>
            }
          />
        )}
        {data && data.length > 0 && shown.length === 0 && (
          <Text px="5" py="6" textAlign="center" color="fg.muted" fontSize="sm">
            {t('messages.noChatFound')}
          </Text>
        )}
        <Box as="ul" ref={rows} listStyleType="none" onKeyDown={rowKeys(rows)}>
          {shown.map((entry) => (
            <ChatRow
              key={entry.user.id}
              entry={entry}
              current={entry.user.id === open}
              own={entry.lastMessage.senderId === me}
              online={connected && Boolean(entry.user.online)}
              draft={entry.user.id === open ? undefined : drafts[entry.user.id]?.trim() || undefined}
              when={formatWhen(entry.lastMessage.createAt)}
            />
          ))}
        </Box>
      </Box>
    </Flex>
  );
}
