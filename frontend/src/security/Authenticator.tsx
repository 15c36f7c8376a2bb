import { Button, CloseButton, Dialog, Flex, Portal, Text } from '@chakra-ui/react';
import { DeviceMobileIcon, ShieldCheckIcon, ShieldSlashIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { updateSessionUser } from '../auth/session';
import { errorText } from '../lib/errors';
import { formatDate } from '../lib/format';
import { ApiError } from '../lib/http';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { LoadFailed } from '../ui/LoadFailed';
import { PasswordField } from '../ui/PasswordField';
import { Waiting } from '../ui/Skeletons';
import { SetUpApp } from './SetUpApp';
import { totpState, useRemoveTotp } from './security';

function SetUpDialog({ onClose }: { onClose: () => void }) {
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
              <Dialog.Title>{t('security.setUp.title')}</Dialog.Title>
            </Dialog.Header>
            <Dialog.CloseTrigger asChild>
              <CloseButton variant="ghost" aria-label={t('common.close')} />
            </Dialog.CloseTrigger>
            <Dialog.Body pb="6">
              <SetUpApp
                onDone={() => {
                  toast.success(t('security.app.turnedOn'));
                  onClose();
                }}
              />
            </Dialog.Body>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useRemoveTotp();
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const refuse = (text: string) => {
    setFault(text);
    field.current?.focus();
  };
  const confirm = () => {
    if (!password) return refuse(t('profile.remove.passwordNeeded'));
    remove.mutate(
      { password },
      {
        onSuccess: () => {
          updateSessionUser({ totp: false });
          toast.success(t('security.app.turnedOff'));
          onClose();
        },
        onError: (error) => {
          const wrong = error instanceof ApiError && error.errors.find((one) => one.field === 'password');
          if (wrong) refuse(wrong.message);
          else toast.error(errorText(error));
        },
      },
    );
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      Icon={ShieldSlashIcon}
      title={t('security.app.removeTitle')}
      act={t('security.app.remove')}
      pending={remove.isPending}
      onConfirm={confirm}
      fields={
        <PasswordField
          ref={field}
          label={t('profile.remove.password')}
          autoComplete="current-password"
          value={password}
          error={fault}
          onChange={(event) => {
            setPassword(event.target.value);
            setFault(undefined);
          }}
        />
      }
    >
      {t('security.app.removeText')}
    </ConfirmDialog>
  );
}

/** Whether one signs in with an app, since when, and the way to change it. */
export function Authenticator() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(totpState);
  const [asked, setAsked] = useState<'setUp' | 'remove'>();
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
        <Button variant="surface" colorPalette="danger" onClick={() => setAsked('remove')}>
          <ShieldSlashIcon aria-hidden />
          {t('security.app.remove')}
        </Button>
      ) : (
        <Button variant="outline" onClick={() => setAsked('setUp')}>
          <DeviceMobileIcon aria-hidden />
          {t('security.app.setUp')}
        </Button>
      )}
      {asked === 'setUp' && <SetUpDialog onClose={close} />}
      {asked === 'remove' && <RemoveDialog onClose={close} />}
    </>
  );
}
