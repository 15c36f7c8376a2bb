import { Box, Button, Flex, Link, Stack, Text } from '@chakra-ui/react';
import { asEmail, emailFault } from '@lightbox/contract/auth/rules.js';
import { limits } from '@lightbox/contract/limits.js';
import {
  CheckIcon,
  ClockCountdownIcon,
  EnvelopeSimpleIcon,
  HourglassMediumIcon,
  ShieldCheckIcon,
} from '@phosphor-icons/react';
import { useAtomValue, useSetAtom } from 'jotai';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, Link as RouterLink, useNavigate } from 'react-router-dom';
import { errorText } from '../lib/errors';
import { ApiError, send } from '../lib/http';
import { paths, startOf } from '../lib/paths';
import { toast } from '../lib/toaster';
import { TextField } from '../ui/Field';
import { Note } from '../ui/Note';
import { PasswordField } from '../ui/PasswordField';
import { AuthFrame } from './AuthFrame';
import { authCalls } from './calls';
import { placeErrors } from './forms';
import { passkeysPossible } from './passkey';
import { endedAtom, idleMinutesAtom, sessionAtom, takePlace, verificationAtom } from './session';

/** These are loaded after the form, which people can fill in meanwhile. */
const DemoPeople = lazy(async () => ({ default: (await import('./DemoPeople')).DemoPeople }));
const PasskeySignIn = lazy(async () => ({ default: (await import('./PasskeySignIn')).PasskeySignIn }));

const SignOnButtons = lazy(async () => ({ default: (await import('./SignOnButtons')).SignOnButtons }));

const aboutTheAccount = ['ACCOUNT_PENDING', 'ACCOUNT_REJECTED', 'ACCOUNT_INACTIVE', 'LOCAL_SIGN_IN_OFF'];

/** Reasons after which the account cannot sign in again. */
const closed = ['deactivated', 'deleted'];

/** Explains the end of the last session. Renders nothing after a sign-out by the person. */
function Ended() {
  const { t } = useTranslation();
  const reason = useAtomValue(endedAtom);
  const minutes = useAtomValue(idleMinutesAtom);
  if (!reason || reason === 'logout') return null;
  return (
    <Box mb="5">
      <Note
        Icon={ClockCountdownIcon}
        tone="warning"
        role="status"
        title={t(`auth.ended.${reason}`, { count: minutes })}
      >
        {closed.includes(reason) ? null : t('auth.ended.back')}
      </Note>
    </Box>
  );
}

/** Returns a function that runs `act` after `ms`, unless the screen is left before. */
function useAfter(ms: number) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (act: () => void) => {
    timer.current = setTimeout(act, ms);
  };
}

const names = ['email', 'password'] as const;
type Name = (typeof names)[number];
type Faults = Partial<Record<Name, string | undefined>>;

/**
 * Holds the two fields of the form without a form library, to keep the first page small. Errors appear at the first
 * submit and are updated during typing after that.
 */
function useFields(check: (values: Record<Name, string>) => Faults) {
  const inputs = useRef<Partial<Record<Name, HTMLInputElement | null>>>({});
  const [faults, setFaults] = useState<Faults>({});
  const sent = useRef(false);
  const read = () => ({ email: inputs.current.email?.value ?? '', password: inputs.current.password?.value ?? '' });
  const register = (name: Name) => ({
    name,
    ref: (input: HTMLInputElement | null) => {
      inputs.current[name] = input;
    },
    onChange: () => sent.current && setFaults((now) => ({ ...now, [name]: check(read())[name] })),
    error: faults[name],
  });
  const setFault = (name: Name, { message }: { message: string }, { shouldFocus }: { shouldFocus: boolean }) => {
    setFaults((now) => ({ ...now, [name]: message }));
    if (shouldFocus) inputs.current[name]?.focus();
  };
  const fill = (values: Record<Name, string>) => {
    for (const name of names) {
      const input = inputs.current[name];
      if (input) input.value = values[name];
    }
  };
  /** Returns the values, or undefined if one is wrong; then it focuses the first field with an error. */
  const checked = () => {
    const values = read();
    const found = check(values);
    const faulty = names.find((name) => found[name]);
    sent.current = true;
    setFaults(found);
    if (!faulty) return values;
    inputs.current[faulty]?.focus();
    return undefined;
  };
  return { register, setFault, fill, checked };
}

function useLogin({ checked, setFault }: Pick<ReturnType<typeof useFields>, 'checked' | 'setFault'>) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const later = useAfter(limits.redirectAfterLogin);
  const keepVerification = useSetAtom(verificationAtom);
  const [state, setState] = useState<'idle' | 'pending' | 'sent' | 'right'>('idle');
  const [account, setAccount] = useState<ApiError>();
  const fail = (error: unknown) => {
    setState('idle');
    if (error instanceof ApiError && aboutTheAccount.includes(error.code)) return setAccount(error);
    if (!placeErrors(error, names, setFault)) toast.error(errorText(error, t('auth.login.failed')));
  };
  const submit = async () => {
    toast.dismiss();
    const values = state === 'idle' && checked();
    if (!values) return;
    const email = asEmail(values.email);
    setState('pending');
    setAccount(undefined);
    try {
      const body = { email, password: values.password };
      const { data } = await send(authCalls.login, { body }, { token: 'none' });
      // Only the method `mail` sends a code.
      setState(data.method === 'mail' ? 'sent' : 'right');
      keepVerification({ token: data.token, email, method: data.method, sentAt: Date.now() });
      later(() => navigate(paths.verifyAccount));
    } catch (error) {
      fail(error);
    }
  };
  return { submit, state, account };
}

function LoginForm() {
  const { t } = useTranslation();
  const { register, fill, ...fields } = useFields(({ email, password }) => ({
    email: emailFault(email),
    password: password ? undefined : t('auth.login.required'),
  }));
  const { submit, state, account } = useLogin(fields);
  const done = state === 'sent' || state === 'right';
  return (
    <>
      <Stack asChild gap="block">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
          noValidate
        >
          {account && <Note Icon={HourglassMediumIcon} tone="warning" role="status" title={errorText(account)} />}
          <TextField
            label={t('auth.email')}
            type="email"
            autoComplete="username webauthn"
            inputMode="email"
            Icon={EnvelopeSimpleIcon}
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
            {...register('password')}
          />
          <Button
            type="submit"
            size="xl"
            mt="1"
            loading={state === 'pending'}
            loadingText={t('auth.login.pending')}
            {...(done && { 'aria-disabled': true, pointerEvents: 'none' })}
          >
            {done && <CheckIcon weight="bold" aria-hidden />}
            {t(done ? `auth.login.${state}` : 'auth.login.act')}
          </Button>
        </form>
      </Stack>
      {passkeysPossible() && (
        <Box minH="105px">
          <Suspense fallback={null}>
            <PasskeySignIn autofill />
          </Suspense>
        </Box>
      )}
      <Suspense fallback={null}>
        <SignOnButtons />
      </Suspense>
      <Text textAlign="center" color="fg.muted" mt="22px">
        {t('auth.login.newHere')}{' '}
        <Link asChild variant="underline" fontWeight="semibold">
          <RouterLink to={paths.register}>{t('auth.login.register')}</RouterLink>
        </Link>
      </Text>
      <Suspense fallback={null}>
        <DemoPeople
          onPick={(person) => {
            fill(person);
            void submit();
          }}
        />
      </Suspense>
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
  // The place is remembered for one use: a passkey, or another tab, has signed the person in.
  const place = useMemo(() => token && user && (takePlace(user.id) ?? startOf(user.role.name)), [token, user]);
  if (place) return <Navigate to={place} replace />;
  return (
    <AuthFrame title={t('auth.login.title')} sub={t('auth.login.sub')}>
      <Ended />
      <LoginForm />
    </AuthFrame>
  );
}
