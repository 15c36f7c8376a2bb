import { Button, Link, Stack } from '@chakra-ui/react';
import { KeyIcon, LinkBreakIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink, useNavigate } from 'react-router-dom';
import { errorText } from '../lib/errors';
import { send } from '../lib/http';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { Note } from '../ui/Note';
import { AuthFrame } from './AuthFrame';
import { authCalls } from './calls';
import { placeErrors } from './forms';
import { NewPassword } from './NewPassword';
import { useLinkToken } from './useLinkToken';

function ResetForm({ token }: { token: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { register, handleSubmit, setError, watch, formState } = useForm({
    defaultValues: { password: '', confirm: '' },
  });
  const reset = useMutation({
    mutationFn: ({ password }: { password: string }) =>
      send(authCalls.resetPassword, { body: { token, password } }, { token: 'none' }),
    meta: { silent: 'always' },
    onSuccess: () => {
      toast.success(t('auth.reset.done'));
      navigate(paths.login, { replace: true });
    },
    onError: (error) =>
      placeErrors(error, ['password'], setError) || toast.error(errorText(error, t('auth.forgot.failed'))),
  });
  return (
    <Stack asChild gap="block" mb="6">
      <form onSubmit={handleSubmit((values) => reset.mutate(values))} noValidate>
        <NewPassword
          label={t('auth.newPassword')}
          register={register}
          errors={formState.errors}
          value={watch('password')}
        />
        <Button type="submit" size="xl" loading={reset.isPending} loadingText={t('auth.reset.pending')}>
          {t('auth.reset.act')}
        </Button>
      </form>
    </Stack>
  );
}

export function ResetPassword() {
  const { t } = useTranslation();
  const token = useLinkToken(paths.resetPassword);
  return (
    <AuthFrame
      title={t('auth.reset.title')}
      badge={<KeyIcon size={28} aria-hidden />}
      sub={token && t('auth.reset.text')}
    >
      {token ? (
        <ResetForm token={token} />
      ) : (
        <Stack gap="5" mb="6">
          <Note Icon={LinkBreakIcon} tone="warning" title={t('auth.reset.noToken')}>
            {t('auth.reset.noTokenText')}
          </Note>
          <Link asChild variant="underline" fontWeight="semibold" alignSelf="center">
            <RouterLink to={paths.forgotPassword}>{t('auth.reset.again')}</RouterLink>
          </Link>
        </Stack>
      )}
    </AuthFrame>
  );
}
