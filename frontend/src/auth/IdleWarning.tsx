import { Button, Dialog, Flex, Text, VisuallyHidden } from '@chakra-ui/react';
import { notificationCalls } from '@lightbox/contract/notifications/calls.js';
import { ClockCountdownIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useSetAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lastActive } from '../lib/activity';
import { formatSeconds } from '../lib/format';
import { send } from '../lib/http';
import { usePublicSettings } from '../lib/publicSettings';
import { useNow } from '../lib/useNow';
import { IconTile } from '../ui/IconTile';
import { Modal } from '../ui/Modal';
import { authCalls } from './calls';
import { idleState, watchIdle } from './idle';
import { endSession, idleMinutesAtom, session } from './session';
import { useLogout } from './useLogout';

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

/** Returns the idle limit in ms. Stores it too, because /login shows it after the end of the session. */
function useIdleMs(): number {
  const minutes = usePublicSettings()['session.idleMinutes'];
  const remember = useSetAtom(idleMinutesAtom);
  useEffect(() => remember(minutes), [remember, minutes]);
  return minutes * 60_000;
}

/** Asks whether to stay signed in before the idle limit (see `warningMs`). At the limit it signs out in every tab. */
export function IdleWarning() {
  const { t } = useTranslation();
  const [due, setDue] = useState(false);
  const stay = useRef<HTMLButtonElement>(null);
  const logout = useLogout();
  const idleMs = useIdleMs();
  useEffect(
    () =>
      watchIdle(idleMs, {
        warn: setDue,
        over: () => {
          // The server ends an idle session by its own clock too; this call only ends it at once.
          const { token } = session();
          void send(authCalls.logout, { body: {} }, { token }).catch(() => undefined);
          endSession('idle');
        },
      }),
    [idleMs],
  );
  // Any call keeps a session alive; this one changes nothing and is not audited.
  const stayAlive = useMutation({
    mutationFn: () => send(notificationCalls.listNotifications, { query: { page: 1, limit: 1 } }),
  });
  return (
    <Modal
      role="alertdialog"
      open={due}
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
        {due && <Countdown idleMs={idleMs} />}
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
