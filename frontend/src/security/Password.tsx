import { Button, Stack, Text } from '@chakra-ui/react';
import { KeyIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { NewPassword } from '../auth/NewPassword';
import { userAtom } from '../auth/session';
import { errorText } from '../lib/errors';
import { ApiError } from '../lib/http';
import { toast } from '../lib/toaster';
import { PasswordField } from '../ui/PasswordField';
import { PlainDialog } from '../ui/PlainDialog';
import { useChangePassword } from './security';

/** The form's field names by the names in the call. */
const fields = { currentPassword: 'current', newPassword: 'password' } as const;

function PasswordForm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const change = useChangePassword();
  const user = useAtomValue(userAtom);
  const { register, handleSubmit, setError, watch, formState } = useForm({
    defaultValues: { current: '', password: '', confirm: '' },
  });
  const refused = (error: unknown) => {
    const faults = error instanceof ApiError ? error.errors.filter(({ field }) => Object.hasOwn(fields, field)) : [];
    for (const { field, message } of faults) {
      setError(fields[field as keyof typeof fields], { type: 'server', message }, { shouldFocus: true });
    }
    if (faults.length === 0) toast.error(errorText(error));
  };
  const submit = handleSubmit(({ current, password }) =>
    change.mutate(
      { currentPassword: current, newPassword: password },
      {
        onSuccess: () => {
          toast.success(t('security.password.done'));
          onDone();
        },
        onError: refused,
      },
    ),
  );
  return (
    <Stack asChild gap="block">
      <form onSubmit={submit} noValidate>
        <PasswordField
          label={t('security.password.current')}
          autoComplete="current-password"
          error={formState.errors.current?.message}
          {...register('current', { validate: (current) => Boolean(current) || t('profile.remove.passwordNeeded') })}
        />
        <NewPassword
          label={t('auth.newPassword')}
          register={register}
          errors={formState.errors}
          value={watch('password')}
          {...(user ? { owner: user } : {})}
        />
        <Button type="submit" loading={change.isPending} loadingText={t('security.password.act')}>
          {t('security.password.act')}
        </Button>
      </form>
    </Stack>
  );
}

/** The button and the dialog to change the password with the current one. */
export function Password() {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Text fontSize="sm" color="fg.muted" mb="4">
        {t('security.password.text')}
      </Text>
      <Button variant="outline" onClick={() => setOpen(true)}>
        <KeyIcon aria-hidden />
        {t('security.password.act')}
      </Button>
      <PlainDialog open={open} title={t('security.password.act')} onClose={() => setOpen(false)}>
        <PasswordForm onDone={() => setOpen(false)} />
      </PlainDialog>
    </>
  );
}
