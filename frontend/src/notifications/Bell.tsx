import { Box, chakra, Flex, Heading, IconButton, Popover, Portal } from '@chakra-ui/react';
import { BellIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { toast } from '../lib/toaster';
import { Count } from '../ui/Count';
import { SidePanel } from '../ui/SidePanel';
import { TabFace } from '../ui/TabFace';
import { NoticeList, ReadAll } from './NoticeList';
import { arrivedAtom, unreadNotices, useRead } from './notifications';
import { addressOf } from './places';
import { useSeen } from './useSeen';
import { wordsOf } from './wording';

const useUnread = () => useQuery(unreadNotices).data ?? 0;

/** Announces a new notification in a toast, once, while the list is closed. An open list shows it itself. */
function useToasts(open: boolean) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const read = useRead();
  const [arrived, setArrived] = useAtom(arrivedAtom);
  useEffect(() => {
    if (!arrived) return;
    setArrived(undefined);
    if (open) return;
    const { id } = arrived;
    const { title, text: description } = wordsOf(arrived);
    const action = {
      label: t('notifications.show'),
      onClick: () => {
        read(id);
        navigate(addressOf(arrived));
      },
    };
    // A toast renders synchronously, which React does not allow within an effect.
    queueMicrotask(() => toast.info(title, { description, action }));
  }, [arrived, setArrived, open, t, navigate, read]);
}

/** The bell in the top bar, with its list. */
export function Bell() {
  const { t } = useTranslation();
  const unread = useUnread();
  const [open, setOpen] = useState(false);
  useToasts(open);
  useSeen(unread);
  return (
    <Popover.Root
      open={open}
      onOpenChange={(change) => setOpen(change.open)}
      positioning={{ placement: 'bottom-end', gutter: 8 }}
      lazyMount
      unmountOnExit
    >
      <Popover.Trigger asChild>
        <IconButton variant="ghost" position="relative" aria-label={t('notifications.open', { count: unread })}>
          <BellIcon size={22} weight={open ? 'fill' : 'regular'} />
          {unread > 0 && (
            <Box position="absolute" top="-1px" insetEnd="-3px" display="inline-flex" aria-hidden>
              <Count value={unread} lamp label="" />
            </Box>
          )}
        </IconButton>
      </Popover.Trigger>
      <Portal>
        <Popover.Positioner>
          <Popover.Content
            aria-label={t('notifications.title')}
            w="420px"
            maxW="calc(100vw - 32px)"
            maxH="min(640px, calc(100dvh - 96px))"
            display="flex"
            flexDirection="column"
            bg="bg.panel"
            borderWidth="1px"
            borderColor="border"
            borderRadius="float"
            boxShadow="float"
            overflow="hidden"
            textStyle="none"
            fontSize="md"
          >
            <Flex align="center" justify="space-between" ps="5" pe="3" pt="3" pb="1" flex="none">
              <Heading as="h2" textStyle="section">
                {t('notifications.title')}
              </Heading>
              <ReadAll unread={unread} />
            </Flex>
            <Box overflowY="auto" minH="0">
              <NoticeList onOpen={() => setOpen(false)} />
            </Box>
          </Popover.Content>
        </Popover.Positioner>
      </Portal>
    </Popover.Root>
  );
}

/** The bell as an entry of the bottom bar on a phone. Its list is a sheet. */
export function NoticesTab() {
  const { t } = useTranslation();
  const unread = useUnread();
  const [open, setOpen] = useState(false);
  useToasts(open);
  useSeen(unread);
  return (
    <>
      <chakra.button type="button" flex="1" cursor="pointer" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <TabFace Icon={BellIcon} label={t('notifications.tab')} active={open} count={unread} lamp />
      </chakra.button>
      <SidePanel
        open={open}
        onClose={() => setOpen(false)}
        placement="bottom"
        title={t('notifications.title')}
        act={<ReadAll unread={unread} />}
        head={{ align: 'center', gap: '1', pt: '3', pb: '1' }}
        textStyle="none"
        fontSize="md"
      >
        <Box overflowY="auto" minH="0" pb="env(safe-area-inset-bottom)">
          <NoticeList onOpen={() => setOpen(false)} />
        </Box>
      </SidePanel>
    </>
  );
}
