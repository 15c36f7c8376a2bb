import { Button, Text } from '@chakra-ui/react';
import { TrashIcon } from '@phosphor-icons/react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { paths } from '../app/paths';
import { endSession } from '../auth/session';
import { errorText } from '../lib/errors';
import { ApiError } from '../lib/http';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { PasswordField } from '../ui/PasswordField';
import { useCloseAccount } from './users';

/** The way out of the product, behind the password and a typed word. */
export function CloseAccount() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const remove = useCloseAccount();

  const refuse = (text: string) => {
    setFault(text);
    field.current?.focus();
  };
  const close = () => {
    setOpen(false);
    setPassword('');
    setFault(undefined);
  };
  const confirm = () => {
    if (!password) return refuse(t('profile.remove.passwordNeeded'));
    remove.mutate(password, {
      onSuccess: () => {
        navigate(paths.login);
        endSession('logout');
        toast.success(t('profile.remove.done'));
      },
      onError: (error) => {
        const wrong = error instanceof ApiError && error.errors.find((one) => one.field === 'password');
        if (wrong) refuse(wrong.message);
        else toast.error(errorText(error, t('profile.remove.failed')));
      },
    });
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
      <ConfirmDialog
        open={open}
        onClose={close}
        Icon={TrashIcon}
        title={t('profile.remove.ask')}
        act={t('profile.remove.act')}
        word={t('profile.remove.word')}
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
        {t('profile.remove.askText')}
      </ConfirmDialog>
    </>
  );
}
