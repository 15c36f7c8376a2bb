import { Button, Flex, Text } from '@chakra-ui/react';
import { DeviceMobileIcon, KeyIcon, ShieldCheckIcon, ShieldSlashIcon } from '@phosphor-icons/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatDate } from '../lib/format';
import { reread } from '../lib/live';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { LoadFailed } from '../ui/LoadFailed';
import { PlainDialog } from '../ui/PlainDialog';
import { Waiting } from '../ui/Skeletons';
import { oneUser } from '../users/users';
import { RenewDialog } from './RenewDialog';
import { SetUpApp } from './SetUpApp';
import { totpState, useRemoveTotp } from './security';

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useRemoveTotp();
  const onSuccess = () => {
    toast.success(t('security.app.turnedOff'));
    onClose();
  };
  return (
    <ConfirmDialog
      open
      Icon={ShieldSlashIcon}
      title={t('security.app.removeTitle')}
      act={t('security.app.remove')}
      pending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSuccess })}
    >
      {t('security.app.removeText')}
    </ConfirmDialog>
  );
}

/**
 * Shows the state of the authenticator app, with buttons to set it up, to remove it and to renew the recovery codes.
 */
export function Authenticator() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(totpState);
  const [asked, setAsked] = useState<'setUp' | 'renew' | 'remove'>();
  const cache = useQueryClient();
  const close = () => setAsked(undefined);
  const closeSetUp = () => {
    for (const queryKey of [['security'], oneUser().queryKey]) void reread(cache, queryKey);
    close();
  };
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
        <PlainDialog title={t('security.setUp.title')} onClose={closeSetUp}>
          <SetUpApp
            onDone={() => {
              toast.success(t('security.app.turnedOn'));
              closeSetUp();
            }}
          />
        </PlainDialog>
      )}
      {asked === 'renew' && <RenewDialog onClose={close} />}
      {asked === 'remove' && <RemoveDialog onClose={close} />}
    </>
  );
}
