import { Flex, Grid, Heading, VisuallyHidden } from '@chakra-ui/react';
import type { ChatListEntry } from '@lightbox/contract/messages/calls.js';
import { idPattern } from '@lightbox/contract/written.js';
import { ChatsCircleIcon } from '@phosphor-icons/react';
import { useQueryClient } from '@tanstack/react-query';
import { atom, type PrimitiveAtom, useAtom, useSetAtom } from 'jotai';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { useIsDesktop } from '../lib/useMedia';
import { useBare } from '../ui/bare';
import { EmptyState } from '../ui/EmptyState';
import { onOpening } from '../ui/onOpening';
import { Page, useTitle } from '../ui/Page';
import { ChatList } from './ChatList';
import { Conversation, type VerifyPart } from './Conversation';
import { listKey } from './keys';

const NewChat = onOpening(async () => (await import('./NewChat')).NewChat);

/** Alt+Shift+Up and Down go to the previous and the next chat with unread messages. */
function useUnreadKeys(open: string | undefined, show: (userId: string) => void) {
  const cache = useQueryClient();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!event.altKey || !event.shiftKey || !['ArrowUp', 'ArrowDown'].includes(event.key)) return;
      event.preventDefault();
      const list = cache.getQueryData<ChatListEntry[]>(listKey) ?? [];
      const at = list.findIndex(({ user }) => user.id === open);
      const ahead = [...list.slice(at + 1), ...list.slice(0, Math.max(at, 0))];
      const next = (event.key === 'ArrowDown' ? ahead : ahead.reverse()).find(({ unread }) => unread > 0);
      if (next) show(next.user.id);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [cache, open, show]);
}

/** The possible recipients of the new chat; undefined while its dialog is closed. */
type Writing = 'anybody' | 'admin' | undefined;

interface NewChatPartProps {
  writing: PrimitiveAtom<Writing>;
  opener: RefObject<HTMLButtonElement | null>;
  onSent: (userId: string) => void;
}

function NewChatPart({ writing, opener, onSent }: NewChatPartProps) {
  const [among, setAmong] = useAtom(writing);
  return (
    <NewChat
      open={among !== undefined}
      among={among === 'admin' ? 'admin' : undefined}
      onAdmins={() => setAmong('admin')}
      onClose={() => setAmong(undefined)}
      onSent={(userId) => {
        setAmong(undefined);
        onSent(userId);
      }}
      opener={opener}
    />
  );
}

/** The chat list and the open chat. The address names the open chat, so that Back, reload and a copied link work. */
export function Messages({ VerifyDialog }: { VerifyDialog: VerifyPart }) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const [params, setParams] = useSearchParams();
  const wanted = params.get('chat') ?? '';
  const open = idPattern.test(wanted) ? wanted.toLowerCase() : undefined;
  // An atom, so that the dialog opens and closes without the chats being rendered again.
  const [writing] = useState(() => atom<Writing>(undefined));
  const setWriting = useSetAtom(writing);
  const newChat = useRef<HTMLButtonElement>(null);
  const last = useRef(open);
  if (open) last.current = open;

  const show = (userId: string) => setParams({ chat: userId });
  const back = () => setParams({});
  useUnreadKeys(open, show);
  useTitle(t('messages.title'));

  const alone = !desktop && open !== undefined;
  useBare(alone);
  const dialog = <NewChatPart writing={writing} opener={newChat} onSent={show} />;
  if (alone)
    return (
      <>
        <VisuallyHidden>
          <Heading as="h1">{t('messages.title')}</Heading>
        </VisuallyHidden>
        <Conversation
          key={open}
          userId={open}
          onBack={back}
          onAdmins={() => setWriting('admin')}
          VerifyDialog={VerifyDialog}
        />
        {dialog}
      </>
    );

  return (
    <Page title={t('messages.title')}>
      <Grid
        data-chats
        layerStyle="card"
        templateColumns={{ base: 'minmax(0, 1fr)', lg: '344px minmax(0, 1fr)' }}
        templateRows="minmax(0, 1fr)"
        h="75vh"
        minH="min(75vh, 420px)"
        borderRadius="float"
        overflow="hidden"
      >
        <ChatList
          open={open}
          focus={desktop ? undefined : last.current}
          newChat={newChat}
          onNewChat={() => setWriting('anybody')}
        />
        {desktop &&
          (open ? (
            <Conversation
              key={open}
              userId={open}
              onBack={back}
              onAdmins={() => setWriting('admin')}
              VerifyDialog={VerifyDialog}
            />
          ) : (
            <Flex align="center" justify="center">
              <EmptyState as="h2" Icon={ChatsCircleIcon} title={t('messages.selectChat')} />
            </Flex>
          ))}
      </Grid>
      {dialog}
    </Page>
  );
}
