import { Box, Button, Flex, Link, Stack, Text } from '@chakra-ui/react';
import { zodResolver } from '@hookform/resolvers/zod';
import { authCalls } from '@lightbox/contract/auth/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import {
  CheckIcon,
  ClockCountdownIcon,
  EnvelopeSimpleIcon,
  HourglassMediumIcon,
  ShieldCheckIcon,
} from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useRef } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Navigate, Link as RouterLink, useNavigate } from 'react-router-dom';
import { z } from 'zod';
import { paths, startOf } from '../app/paths';
import { errorText } from '../lib/errors';
import { ApiError, send } from '../lib/http';
import { toast } from '../lib/toaster';
import { TextField } from '../ui/Field';
import { Note } from '../ui/Note';
import { PasswordField } from '../ui/PasswordField';
import { AuthFrame } from './AuthFrame';
import { DemoPeople } from './DemoPeople';
import { placeErrors } from './forms';
import { endedAtom, sessionAtom, verificationAtom } from './session';

const aboutTheAccount = ['ACCOUNT_PENDING', 'ACCOUNT_REJECTED', 'ACCOUNT_INACTIVE'];

/** Signing in again would not help. */
const closed = ['deactivated', 'deleted'];

/** Why one is here again; nothing after signing out on purpose. */
function Ended() {
  const { t } = useTranslation();
  const reason = useAtomValue(endedAtom);
  if (!reason || reason === 'logout') return null;
  return (
    <Box mb="5">
      <Note
        Icon={ClockCountdownIcon}
        tone="warning"
        role="status"
        title={t(`auth.ended.${reason}`, { count: limits.sessionIdleMinutes })}
      >
        {closed.includes(reason) ? null : t('auth.ended.back')}
      </Note>
    </Box>
  );
}

/** Carries the person to the code screen after the second that the screen promises. */
function useAfter(ms: number) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (act: () => void) => {
    timer.current = setTimeout(act, ms);
  };
}

function LoginForm() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const later = useAfter(limits.redirectAfterLogin);
  const keepVerification = useSetAtom(verificationAtom);
  const schema = z.object({
    email: authCalls.login.body.shape.email,
    password: z.string().min(1, t('auth.login.required')),
  });
  const { register, handleSubmit, setError, setValue, formState } = useForm({
    resolver: zodResolver(schema),
    defaultValues: { email: '', password: '' },
  });
  const login = useMutation({
    mutationFn: (body: z.output<typeof schema>) => send(authCalls.login, { body }, { token: 'none' }),
    meta: { silent: true },
    onSuccess: ({ data }, { email }) => {
      keepVerification({ token: data.token, email, method: data.method, sentAt: Date.now() });
      later(() => navigate(paths.verifyAccount));
    },
    onError: (error) => {
      if (error instanceof ApiError && aboutTheAccount.includes(error.code)) return;
      if (!placeErrors(error, ['email', 'password'], setError)) toast.error(errorText(error, t('auth.login.failed')));
    },
  });
  const submit = handleSubmit((values) => {
    toast.dismiss();
    login.mutate(values);
  });
  const account = login.error instanceof ApiError && aboutTheAccount.includes(login.error.code) && login.error;
  return (
    <>
      <Stack asChild gap="18px">
        <form onSubmit={submit} noValidate>
          {account && <Note Icon={HourglassMediumIcon} tone="warning" role="status" title={errorText(account)} />}
          <TextField
            label={t('auth.email')}
            type="email"
            autoComplete="username"
            inputMode="email"
            Icon={EnvelopeSimpleIcon}
            error={formState.errors.email?.message}
            {...register('email')}
          />
          <PasswordField
            label={t('auth.password')}
            aside={
              <Link asChild variant="underline" fontSize="sm" fontWeight="semibold">
                <RouterLink to={paths.forgotPassword}>{t('auth.login.forgot')}</RouterLink>
              </Link>
            }
            autoComplete="current-password"
            error={formState.errors.password?.message}
            {...register('password')}
          />
          <Button
            type="submit"
            size="xl"
            mt="1"
            loading={login.isPending}
            loadingText={t('auth.login.pending')}
            {...(login.isSuccess && { 'aria-disabled': true, pointerEvents: 'none' })}
          >
            {login.isSuccess && <CheckIcon weight="bold" aria-hidden />}
            {t(
              login.isSuccess
                ? login.data.data.method === 'totp'
                  ? 'auth.login.right'
                  : 'auth.login.sent'
                : 'auth.login.act',
            )}
          </Button>
        </form>
      </Stack>
      <Text textAlign="center" color="fg.muted" mt="22px">
        {t('auth.login.newHere')}{' '}
        <Link asChild variant="underline" fontWeight="semibold">
          <RouterLink to={paths.register}>{t('auth.login.register')}</RouterLink>
        </Link>
      </Text>
      <DemoPeople
        onPick={({ email, password }) => {
          setValue('email', email);
          setValue('password', password);
          void submit();
        }}
      />
      <Flex justify="center" align="center" gap="2.5" mt="30px" mb="6" color="fg.muted" fontSize=".84375rem">
        <ShieldCheckIcon size={18} aria-hidden />
        {t('auth.login.recorded')}
      </Flex>
    </>
  );
}

export function Login() {
  const { t } = useTranslation();
  const { token, user } = useAtomValue(sessionAtom);
  if (token && user) return <Navigate to={startOf(user.role.name)} replace />;
  return (
    <AuthFrame title={t('auth.login.title')} sub={t('auth.login.sub')}>
      <Ended />
      <LoginForm />
    </AuthFrame>
  );
}
