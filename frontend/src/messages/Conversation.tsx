import { Box, Button, Flex, Heading, IconButton, Text, VisuallyHidden } from '@chakra-ui/react';
import type { Attachment } from '@lightbox/contract/messages/calls.js';
import { ArrowLeftIcon, ChatCircleSlashIcon, MagnifyingGlassIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { type ComponentType, lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { roleAtom } from '../auth/session';
import type { Verifying } from '../images/dialogs';
import { useImage } from '../images/images';
import { fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { useConnected } from '../lib/useConnected';
import { useIsDesktop } from '../lib/useMedia';
import { RoleBadge } from '../ui/Badge';
import { EmptyState } from '../ui/EmptyState';
import { Waiting } from '../ui/Skeletons';
import { Tooltip } from '../ui/Tooltip';
import { UserAvatar } from '../ui/UserAvatar';
import { ChatSearch } from './ChatSearch';
import { Composer } from './Composer';
import { Log } from './Log';
import { chatList, chatWith, isGone, personOf } from './messages';
import { outboxAtom } from './outbox';
import { useChatSearch } from './useChatSearch';
import { useUntied } from './useUntied';

const Untied = lazy(async () => ({ default: (await import('./Untied')).Untied }));

/** Returns the other person from the chat list, or else from the directory. */
function usePerson(userId: string) {
  const list = useQuery(chatList);
  const entry = list.data?.find(({ user }) => user.id === userId)?.user;
  const person = useQuery({ ...personOf(userId), enabled: !entry && !list.isPending });
  const connected = useConnected();
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

/** The dialog for the code of a locked image, with the id of its share filled in. */
function Verify({ card, Dialog, onClosed }: { card: Attachment; Dialog: VerifyPart; onClosed: () => void }) {
  const navigate = useNavigate();
  const { data: image } = useImage(card.imageId);
  const [open, setOpen] = useState(true);
  return (
    <Dialog
      open={open}
      shareId={card.shareId ?? ''}
      image={image}
      onClose={() => setOpen(false)}
      onExited={onClosed}
      onOpen={({ id }) => navigate(paths.viewer(id))}
    />
  );
}

/** The dialog for a code: sharing imports images as well, so app passes it. */
export type VerifyPart = ComponentType<Verifying>;

interface Props {
  userId: string;
  onBack: () => void;
  /** Called to write to an administrator instead. */
  onAdmins: () => void;
  VerifyDialog: VerifyPart;
}

/** One chat: its person, its messages and the field for a new one. Mounted per chat. */
export function Conversation({ userId, onBack, onAdmins, VerifyDialog }: Props) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const { person, online, error } = usePerson(userId);
  const chat = useQuery(chatWith(userId));
  const outbox = useAtomValue(outboxAtom);
  const waiting = useMemo(() => outbox.filter(({ recipientId }) => recipientId === userId), [outbox, userId]);
  const name = person ? fullName(person) : '';
  const untied = useUntied(person, isGone(chat.error));
  const provider = useAtomValue(roleAtom) === 'healthProvider';

  const [searching, setSearching] = useState(false);
  const searchButton = useRef<HTMLButtonElement>(null);
  const search = useChatSearch(userId, searching);
  const closeSearch = () => {
    setSearching(false);
    search.setText('');
    searchButton.current?.focus();
  };
  const [verifying, setVerifying] = useState<Attachment>();

  // On a phone this replaces the list, which had the focus.
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!desktop) heading.current?.focus({ preventScroll: true });
  }, [desktop]);

  if (isGone(error) || isGone(chat.error))
    return (
      <Flex direction="column" minH="0" h="full" justify="center" align="center">
        {person && untied ? (
          <Suspense fallback={null}>
            <Untied person={person} onAdmins={onAdmins} />
          </Suspense>
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
        <Tooltip content={t('messages.search.open')}>
          <IconButton
            ref={searchButton}
            variant="ghost"
            boxSize="touch"
            aria-label={t('messages.search.open')}
            aria-expanded={searching}
            onClick={() => (searching ? closeSearch() : setSearching(true))}
          >
            <MagnifyingGlassIcon />
          </IconButton>
        </Tooltip>
      </Flex>
      {searching && <ChatSearch search={search} onClose={closeSearch} />}
      {chat.data ? (
        <Log
          key={userId}
          chat={chat.data}
          waiting={waiting}
          userId={userId}
          name={name}
          search={search.shown}
          onVerify={setVerifying}
        />
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
      {verifying && <Verify card={verifying} Dialog={VerifyDialog} onClosed={() => setVerifying(undefined)} />}
    </Flex>
  );
}
