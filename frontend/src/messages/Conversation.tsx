import { Box, Button, Flex, Heading, IconButton, Text, VisuallyHidden } from '@chakra-ui/react';
import { ArrowLeftIcon, ChatCircleSlashIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { roleAtom } from '../auth/session';
import { socketAtom } from '../lib/connection';
import { fullName } from '../lib/format';
import { useIsDesktop } from '../lib/useMedia';
import { RoleBadge } from '../ui/Badge';
import { EmptyState } from '../ui/EmptyState';
import { Waiting } from '../ui/Skeletons';
import { UserAvatar } from '../ui/UserAvatar';
import { Composer } from './Composer';
import { Log } from './Log';
import { chatList, chatWith, isGone, personOf } from './messages';
import { outboxAtom } from './outbox';
import { Untied, useUntied } from './Untied';

/** Returns the other person from the chat list, or else from the directory. */
function usePerson(userId: string) {
  const list = useQuery(chatList);
  const entry = list.data?.find(({ user }) => user.id === userId)?.user;
  const person = useQuery({ ...personOf(userId), enabled: !entry && !list.isPending });
  const connected = useAtomValue(socketAtom) === 'on';
  return {
    person: entry ?? person.data,
    /** Undefined while this browser has no connection: the list is then out of date. */
    online: connected ? (entry?.online ?? false) : undefined,
    error: entry ? undefined : person.error,
  };
}

function LoadingName() {
  const { t } = useTranslation();
  return (
    <>
      <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
      <Waiting h="18px" w="140px" />
    </>
  );
}

function LogSkeleton() {
  const { t } = useTranslation();
  return (
    <Flex
      direction="column"
      justify="flex-end"
      flex="1"
      minH="0"
      gap="5"
      px="26px"
      pb="6"
      role="status"
      aria-label={t('common.loading')}
    >
      <Waiting h="42px" w="52%" borderRadius="bubble" />
      <Waiting h="42px" w="38%" borderRadius="bubble" alignSelf="flex-end" />
      <Waiting h="64px" w="56%" borderRadius="bubble" />
      <Waiting h="42px" w="30%" borderRadius="bubble" alignSelf="flex-end" />
    </Flex>
  );
}

interface Props {
  userId: string;
  onBack: () => void;
  /** Called to write to an administrator instead. */
  onAdmins: () => void;
}

/** One chat: its person, its messages and the field for a new one. Mounted per chat. */
export function Conversation({ userId, onBack, onAdmins }: Props) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const { person, online, error } = usePerson(userId);
  const chat = useQuery(chatWith(userId));
  const outbox = useAtomValue(outboxAtom);
  const waiting = useMemo(() => outbox.filter(({ recipientId }) => recipientId === userId), [outbox, userId]);
  const name = person ? fullName(person) : '';
  const untied = useUntied(person, isGone(chat.error));
  const provider = useAtomValue(roleAtom) === 'healthProvider';

  // On a phone this replaces the list, which had the focus.
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!desktop) heading.current?.focus({ preventScroll: true });
  }, [desktop]);

  if (isGone(error) || isGone(chat.error))
    return (
      <Flex direction="column" minH="0" h="full" justify="center" align="center">
        {person && untied ? (
          <Untied person={person} onAdmins={onAdmins} />
        ) : (
          <EmptyState
            as="h2"
            Icon={ChatCircleSlashIcon}
            title={t('messages.notAvailable')}
            text={t(provider ? 'messages.notAvailableProvider' : 'messages.notAvailableText')}
          />
        )}
        <Button variant="ghost" onClick={onBack}>
          {t('messages.backToList')}
        </Button>
      </Flex>
    );

  return (
    <Flex as="section" aria-labelledby="chat-with" direction="column" minW="0" minH="0" h="full">
      <Flex
        align="center"
        gap={{ base: '2.5', lg: '13px' }}
        ps={{ base: '1', lg: '22px' }}
        pe={{ base: '3', lg: '22px' }}
        py={{ base: '2', lg: '3.5' }}
        minH={{ base: '64px', lg: '72px' }}
        flex="none"
        bg={{ base: 'bg', lg: 'transparent' }}
        borderBottomWidth="1px"
        borderColor="border"
      >
        {!desktop && (
          <IconButton variant="ghost" boxSize="touch" aria-label={t('messages.backToList')} onClick={onBack}>
            <ArrowLeftIcon mirrored={document.dir === 'rtl'} />
          </IconButton>
        )}
        {person && <UserAvatar person={person} role={person.role} online={online ?? false} />}
        <Box minW="0" flex="1">
          <Flex align="center" gap="9px" minW="0">
            <Heading
              as="h2"
              ref={heading}
              id="chat-with"
              tabIndex={-1}
              outline="none"
              fontSize="1.0625rem"
              lineHeight="1.35"
              truncate
            >
              {person ? <bdi>{name}</bdi> : <LoadingName />}
            </Heading>
            {person && (
              <Box hideBelow="sm" flex="none">
                <RoleBadge name={person.role} />
              </Box>
            )}
          </Flex>
          {person && (
            <Text
              fontSize="xs"
              fontWeight={online ? 'semibold' : 'normal'}
              color={online ? 'success.fg' : 'fg.muted'}
              lineHeight="1.4"
            >
              {online === undefined ? '\u00a0' : t(online ? 'messages.online' : 'messages.offline')}
            </Text>
          )}
        </Box>
      </Flex>
      {chat.data ? (
        <Log key={userId} chat={chat.data} waiting={waiting} userId={userId} name={name} />
      ) : chat.isError ? (
        <Flex flex="1" align="center" justify="center">
          <EmptyState
            Icon={ChatCircleSlashIcon}
            title={t('common.couldNotLoad')}
            act={
              <Button variant="subtle" onClick={() => void chat.refetch()}>
                {t('common.retry')}
              </Button>
            }
          />
        </Flex>
      ) : (
        <LogSkeleton />
      )}
      <Composer key={`write-${userId}`} userId={userId} name={name} waiting={waiting.length > 0} />
    </Flex>
  );
}
