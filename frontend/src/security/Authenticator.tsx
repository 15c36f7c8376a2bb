import { Button, CloseButton, Dialog, Flex, Portal, Text } from '@chakra-ui/react';
import { DeviceMobileIcon, KeyIcon, ShieldCheckIcon, ShieldSlashIcon } from '@phosphor-icons/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatDate } from '../lib/format';
import { reread } from '../lib/live';
import { toast } from '../lib/toaster';
import { LoadFailed } from '../ui/LoadFailed';
import { PasswordDialog } from '../ui/PasswordDialog';
import { Waiting } from '../ui/Skeletons';
import { RecoveryCodes } from './RecoveryCodes';
import { SetUpApp } from './SetUpApp';
import { totpState, useRemoveTotp, useRenewRecoveryCodes } from './security';

function AppDialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Dialog.Root
      open
      onOpenChange={(change) => !change.open && onClose()}
      closeOnInteractOutside={false}
      scrollBehavior="inside"
    >
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner>
          <Dialog.Content>
            <Dialog.Header pe="14">
              <Dialog.Title>{title}</Dialog.Title>
            </Dialog.Header>
            <Dialog.CloseTrigger asChild>
              <CloseButton variant="ghost" aria-label={t('common.close')} />
            </Dialog.CloseTrigger>
            <Dialog.Body pb="6">{children}</Dialog.Body>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useRemoveTotp();
  const onSuccess = () => {
    toast.success(t('security.app.turnedOff'));
    onClose();
  };
  return (
    <PasswordDialog
      Icon={ShieldSlashIcon}
      title={t('security.app.removeTitle')}
      text={t('security.app.removeText')}
      act={t('security.app.remove')}
      pending={remove.isPending}
      onClose={onClose}
      onConfirm={(password, refuse) => remove.mutate({ password }, { onSuccess, onError: refuse })}
    />
  );
}

/** New codes in place of those before, shown once. */
function RenewDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const renew = useRenewRecoveryCodes();
  const close = () => {
    void reread(cache, ['security']);
    onClose();
  };
  if (renew.data) {
    const done = () => {
      toast.success(t('security.recovery.renewed'));
      close();
    };
    return (
      <AppDialog title={t('security.recovery.renew')} onClose={close}>
        <RecoveryCodes codes={renew.data.data.recoveryCodes} onDone={done} />
      </AppDialog>
    );
  }
  return (
    <PasswordDialog
      Icon={KeyIcon}
      title={t('security.recovery.renewTitle')}
      text={t('security.recovery.renewText')}
      act={t('security.recovery.renew')}
      danger={false}
      pending={renew.isPending}
      onClose={onClose}
      onConfirm={(password, refuse) => renew.mutate({ password }, { onError: refuse })}
    />
  );
}

/** Whether one signs in with an app, since when, and the way to change it. */
export function Authenticator() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(totpState);
  const [asked, setAsked] = useState<'setUp' | 'renew' | 'remove'>();
  const close = () => setAsked(undefined);
  const state = data?.data;
  if (error && !state) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (!state) return <Waiting h="44px" w="60%" />;
  return (
    <>
      {state.on ? (
        <Flex direction="column" gap="1" mb="4">
          <Flex align="center" gap="2" fontWeight="semibold" color="success.fg">
            <ShieldCheckIcon size={20} weight="fill" aria-hidden />
            {t('security.app.on', { date: state.since ? formatDate(state.since) : '' })}
          </Flex>
          <Text fontSize="sm" color="fg.muted">
            {t('security.app.left', { count: state.recoveryCodesLeft })}
          </Text>
        </Flex>
      ) : (
        <Text fontSize="sm" color="fg.muted" mb="4">
          {t('security.app.off')}
        </Text>
      )}
      {state.on ? (
        <Flex gap="2.5" wrap="wrap">
          <Button variant="outline" onClick={() => setAsked('renew')}>
            <KeyIcon aria-hidden />
            {t('security.recovery.renew')}
          </Button>
          <Button variant="surface" colorPalette="danger" onClick={() => setAsked('remove')}>
            <ShieldSlashIcon aria-hidden />
            {t('security.app.remove')}
          </Button>
        </Flex>
      ) : (
        <Button variant="outline" onClick={() => setAsked('setUp')}>
          <DeviceMobileIcon aria-hidden />
          {t('security.app.setUp')}
        </Button>
      )}
      {asked === 'setUp' && (
        <AppDialog title={t('security.setUp.title')} onClose={close}>
          <SetUpApp
            onDone={() => {
              toast.success(t('security.app.turnedOn'));
              close();
            }}
          />
        </AppDialog>
      )}
      {asked === 'renew' && <RenewDialog onClose={close} />}
      {asked === 'remove' && <RemoveDialog onClose={close} />}
    </>
  );
}
