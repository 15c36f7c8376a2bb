import { KeyIcon } from '@phosphor-icons/react';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { reread } from '../lib/live';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { PlainDialog } from '../ui/PlainDialog';
import { RecoveryCodes } from './RecoveryCodes';
import { useRenewRecoveryCodes } from './security';

/** Asks first, then replaces the recovery codes and shows the new ones once. */
export function RenewDialog({ onClose }: { onClose: () => void }) {
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
      <PlainDialog title={t('security.recovery.renew')} onClose={close}>
        <RecoveryCodes codes={renew.data.data.recoveryCodes} onDone={done} />
      </PlainDialog>
    );
  }
  return (
    <ConfirmDialog
      open
      Icon={KeyIcon}
      title={t('security.recovery.renewTitle')}
      act={t('security.recovery.renew')}
      danger={false}
      pending={renew.isPending}
      onClose={onClose}
      onConfirm={() => renew.mutate()}
    >
      {t('security.recovery.renewText')}
    </ConfirmDialog>
  );
}
