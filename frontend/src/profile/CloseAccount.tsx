import { Button, Text } from '@chakra-ui/react';
import { TrashIcon } from '@phosphor-icons/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { endSession } from '../auth/session';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { PasswordDialog } from '../ui/PasswordDialog';
import { useCloseAccount } from '../users/users';

/** The button and the dialog to close one's own account. They ask for the password and a typed word. */
export function CloseAccount() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const remove = useCloseAccount();
  const onSuccess = () => {
    navigate(paths.login);
    endSession('logout');
    toast.success(t('profile.remove.done'));
  };
  return (
    <>
      <Text fontSize="sm" color="fg.muted">
        {t('profile.remove.text')}
      </Text>
      <Button variant="surface" colorPalette="danger" w="full" mt="4" onClick={() => setOpen(true)}>
        <TrashIcon aria-hidden />
        {t('profile.remove.act')}
      </Button>
      {open && (
        <PasswordDialog
          Icon={TrashIcon}
          title={t('profile.remove.ask')}
          text={t('profile.remove.askText')}
          act={t('profile.remove.act')}
          word={t('profile.remove.word')}
          failed={t('profile.remove.failed')}
          pending={remove.isPending}
          onClose={() => setOpen(false)}
          onConfirm={(password, refuse) => remove.mutate(password, { onSuccess, onError: refuse })}
        />
      )}
    </>
  );
}
