import { Box, Button, Link, Stack, Text } from '@chakra-ui/react';
import { asEmail, codePattern, emailFault } from '@lightbox/contract/auth/rules.js';
import { texts } from '@lightbox/contract/texts.js';
import { EnvelopeSimpleIcon, EnvelopeSimpleOpenIcon, KeyIcon, SealCheckIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Controller, type UseFormRegister, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink } from 'react-router-dom';
import { errorText } from '../lib/errors';
import { ApiError, send } from '../lib/http';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { CodeInput } from '../ui/CodeInput';
import { TextField } from '../ui/Field';
import { AuthFrame } from './AuthFrame';
import { authCalls } from './calls';
import { placeErrors } from './forms';
import { NewPassword } from './NewPassword';

/** Step 1: asks for the e-mail address. The answer is the same with and without an account. */
function AskForCode({ onSent }: { onSent: (email: string) => void }) {
  const { t } = useTranslation();
  const { register, handleSubmit, setError, formState } = useForm({
    defaultValues: { email: '' },
  });
  const ask = useMutation({
    mutationFn: (body: { email: string }) => send(authCalls.forgotPassword, { body }, { token: 'none' }),
    meta: { silent: 'always' },
    onSuccess: (_, { email }) => {
      toast.success(t('auth.forgot.sent'), { description: t('auth.forgot.sentText') });
      onSent(email);
    },
    onError: (error) =>
      placeErrors(error, ['email'], setError) || toast.error(errorText(error, t('auth.forgot.failed'))),
  });
  return (
    <AuthFrame title={t('auth.forgot.title')} sub={t('auth.forgot.text')} badge={<KeyIcon size={28} aria-hidden />}>
      <Stack asChild gap="block">
        <form onSubmit={handleSubmit(({ email }) => ask.mutate({ email: asEmail(email) }))} noValidate>
          <TextField
            label={t('auth.email')}
            type="email"
            autoComplete="username"
            inputMode="email"
            Icon={EnvelopeSimpleIcon}
            error={formState.errors.email?.message}
            {...register('email', { validate: emailFault })}
          />
          <Button type="submit" size="xl" loading={ask.isPending} loadingText={t('auth.forgot.pending')}>
            {t('auth.forgot.act')}
          </Button>
        </form>
      </Stack>
      <BackToLogin />
    </AuthFrame>
  );
}

function BackToLogin() {
  const { t } = useTranslation();
  return (
    <Text textAlign="center" mt="22px" mb="6">
      <Link asChild variant="underline" fontWeight="semibold">
        <RouterLink to={paths.login}>{t('auth.forgot.back')}</RouterLink>
      </Link>
    </Text>
  );
}

/** Step 2: asks for the code and the new password. */
function SetPassword({ email, onDone, onChange }: { email: string; onDone: () => void; onChange: () => void }) {
  const { t } = useTranslation();
  const { register, control, handleSubmit, setError, setValue, watch, formState } = useForm({
    defaultValues: { otp: '', password: '', confirm: '' },
  });
  const reset = useMutation({
    mutationFn: ({ otp, password }: { otp: string; password: string }) =>
      send(authCalls.resetPassword, { body: { email, otp, newPassword: password } }, { token: 'none' }),
    meta: { silent: 'always' },
    onSuccess: () => {
      toast.dismiss();
      toast.success(t('auth.reset.done'));
      onDone();
    },
    onError: (error) => {
      if (error instanceof ApiError && (error.code === 'WRONG_CODE' || error.code === 'CODE_LOCKED')) {
        setValue('otp', '');
        return setError('otp', { type: 'server', message: errorText(error) });
      }
      if (error instanceof ApiError && error.errors.length) {
        // On this screen the field has another name than in the call.
        const named = error.errors.map((one) => ({
          ...one,
          field: one.field === 'newPassword' ? 'password' : one.field,
        }));
        const renamed = new ApiError(error.status, error.code, error.message, named);
        placeErrors(renamed, ['otp', 'password'], setError);
        return;
      }
      toast.error(errorText(error, t('auth.forgot.failed')));
    },
  });
  return (
    <AuthFrame
      title={t('auth.forgot.codeTitle')}
      tabTitle={t('auth.forgot.title')}
      badge={<EnvelopeSimpleOpenIcon size={28} aria-hidden />}
      sub={
        <>
          {t('auth.forgot.codeText')}{' '}
          <Text as="strong" fontWeight="semibold" color="fg" overflowWrap="anywhere">
            {email}
          </Text>{' '}
          <Link asChild variant="underline" fontSize="sm">
            <button type="button" onClick={onChange}>
              {t('auth.verify.change')}
            </button>
          </Link>
        </>
      }
    >
      <Stack asChild gap="block">
        <form onSubmit={handleSubmit((values) => reset.mutate(values))} noValidate>
          <Controller
            control={control}
            name="otp"
            rules={{ pattern: { value: codePattern, message: texts.validCode }, required: texts.validCode }}
            render={({ field }) => (
              <CodeInput
                autoFocus
                value={field.value}
                onChange={field.onChange}
                error={formState.errors.otp?.message}
                help={t('auth.forgot.codeHelp')}
              />
            )}
          />
          <NewPassword
            label={t('auth.newPassword')}
            register={register as unknown as UseFormRegister<{ password: string; confirm: string }>}
            errors={formState.errors}
            value={watch('password')}
          />
          <Button type="submit" size="xl" loading={reset.isPending} loadingText={t('auth.forgot.resetting')}>
            {t('auth.forgot.reset')}
          </Button>
        </form>
      </Stack>
      <BackToLogin />
    </AuthFrame>
  );
}

function Changed() {
  const { t } = useTranslation();
  return (
    <AuthFrame
      title={t('auth.forgot.doneTitle')}
      tabTitle={t('auth.forgot.title')}
      home={false}
      badge={
        <Box color="success.fg">
          <SealCheckIcon size={30} weight="fill" aria-hidden />
        </Box>
      }
      sub={t('auth.forgot.doneText')}
    >
      <Button asChild size="xl" w="full" mb="6">
        <RouterLink to={paths.login}>{t('auth.forgot.toLogin')}</RouterLink>
      </Button>
    </AuthFrame>
  );
}

type Step = { at: 'email' } | { at: 'code'; email: string } | { at: 'done' };

/** The reset of a forgotten password in two steps: request a code, then enter it with a new password. */
export function ForgotPassword() {
  const [step, setStep] = useState<Step>({ at: 'email' });
  if (step.at === 'email') return <AskForCode onSent={(email) => setStep({ at: 'code', email })} />;
  if (step.at === 'done') return <Changed />;
  return (
    <SetPassword email={step.email} onDone={() => setStep({ at: 'done' })} onChange={() => setStep({ at: 'email' })} />
  );
}
