import { Box, chakra, IconButton } from '@chakra-ui/react';
import { BellIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtom } from 'jotai';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { toast } from '../lib/toaster';
import { Count } from '../ui/Count';
import { onOpening } from '../ui/onOpening';
import { TabFace } from '../ui/TabFace';
import { arrivedAtom, unreadNotices, useRead } from './notifications';
import { addressOf } from './places';
import { useSeen } from './useSeen';
import { wordsOf } from './wording';

const NoticesPopover = onOpening(async () => (await import('./NoticesPopover')).NoticesPopover);
const NoticesPanel = onOpening(async () => (await import('./NoticesPanel')).NoticesPanel);

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
  const trigger = useId();
  const [open, setOpen] = useState(false);
  useToasts(open);
  useSeen(unread);
  return (
    <>
      <IconButton
        id={trigger}
        variant="ghost"
        position="relative"
        aria-label={t('notifications.open', { count: unread })}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <BellIcon size={22} weight={open ? 'fill' : 'regular'} />
        {unread > 0 && (
          <Box position="absolute" top="-1px" insetEnd="-3px" display="inline-flex" aria-hidden>
            <Count value={unread} lamp label="" />
          </Box>
        )}
      </IconButton>
      <NoticesPopover open={open} trigger={trigger} onClose={() => setOpen(false)} unread={unread} />
    </>
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
      <NoticesPanel open={open} onClose={() => setOpen(false)} unread={unread} />
    </>
  );
}
