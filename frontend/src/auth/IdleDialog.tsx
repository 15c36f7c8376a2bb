import { Button, Dialog, Flex, Text, VisuallyHidden } from '@chakra-ui/react';
import { notificationCalls } from '@lightbox/contract/notifications/calls.js';
import { ClockCountdownIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { lastActive } from '../lib/activity';
import { formatSeconds } from '../lib/format';
import { send } from '../lib/http';
import { useNow } from '../lib/useNow';
import { IconTile } from '../ui/IconTile';
import { Modal } from '../ui/Modal';
import { idleState } from './idle';
import type { useLogout } from './useLogout';

/** Returns the text for screen readers. It changes only at two minutes, one minute and 30 seconds. */
function useAnnouncement(seconds: number): string {
  const { t } = useTranslation();
  if (seconds > 60) return t('app.idle.said', { count: 2 });
  return seconds > 30 ? t('app.idle.said', { count: 1 }) : t('app.idle.saidSeconds', { count: 30 });
}

function Countdown({ idleMs }: { idleMs: number }) {
  const { t } = useTranslation();
  const now = useNow(1000);
  const seconds = Math.ceil(idleState(lastActive(), now, idleMs).left / 1000);
  const announcement = useAnnouncement(seconds);
  return (
    <Flex align="baseline" justify="space-between" mt="4" px="4" py="3" borderRadius="box" bg="bg.subtle">
      <Text color="fg.muted">{t('app.idle.left')}</Text>
      <Text aria-hidden fontSize="xl" fontWeight="650" fontVariantNumeric="tabular-nums" dir="ltr">
        {formatSeconds(seconds)}
      </Text>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
    </Flex>
  );
}

interface Props {
  open: boolean;
  idleMs: number;
  logout: ReturnType<typeof useLogout>;
}

/** The dialog before the idle limit: how much time is left, and the choice to stay or to leave. */
export function IdleDialog({ open, idleMs, logout }: Props) {
  const { t } = useTranslation();
  const stay = useRef<HTMLButtonElement>(null);
  // Any call keeps a session alive; this one changes nothing and is not audited.
  const stayAlive = useMutation({
    mutationFn: () => send(notificationCalls.listNotifications, { query: { page: 1, limit: 1 } }),
  });
  return (
    <Modal
      role="alertdialog"
      open={open}
      // Escape is the safe answer: it keeps the session alive.
      onClose={() => stayAlive.mutate()}
      closable={false}
      closeOnInteractOutside={false}
      initialFocus={() => stay.current}
      zIndex="toast"
    >
      <Dialog.Header alignItems="center" gap="4">
        <IconTile Icon={ClockCountdownIcon} tone="warning" />
        <Dialog.Title>{t('app.idle.title')}</Dialog.Title>
      </Dialog.Header>
      <Dialog.Body>
        <Dialog.Description>{t('app.idle.text')}</Dialog.Description>
        {open && <Countdown idleMs={idleMs} />}
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={logout.now} loading={logout.pending}>
          {t('app.idle.out')}
        </Button>
        <Button ref={stay} onClick={() => stayAlive.mutate()} loading={stayAlive.isPending}>
          {t('app.idle.stay')}
        </Button>
      </Dialog.Footer>
    </Modal>
  );
}
