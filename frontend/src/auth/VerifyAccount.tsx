import { Box, Button, chakra, Flex, Link, Text } from '@chakra-ui/react';
import { codePattern, recoveryCodePattern } from '@lightbox/contract/auth/rules.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import {
  ArrowsClockwiseIcon,
  ClockIcon,
  DeviceMobileIcon,
  EnvelopeSimpleOpenIcon,
  FingerprintIcon,
  SealCheckIcon,
  TrayIcon,
} from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink, useNavigate } from 'react-router-dom';
import { said } from '../i18n';
import { errorText, fieldText } from '../lib/errors';
import { formatSeconds } from '../lib/format';
import { ApiError, send } from '../lib/http';
import { paths, startOf } from '../lib/paths';
import { toast } from '../lib/toaster';
import { useNow } from '../lib/useNow';
import { CodeInput } from '../ui/CodeInput';
import { TextField } from '../ui/Field';
import { AuthFrame } from './AuthFrame';
import { authCalls } from './calls';
import { PasskeySignIn } from './PasskeySignIn';
import { passkeysPossible } from './passkey';
import { setTotpDue, startSession, takePlace, type Verification, verificationAtom } from './session';
import { useWrongCode } from './useWrongCode';

/** Seconds before another code may be asked for. */
const resendAfter = 60;

/** A new code by mail, after a wait that is counted down. */
function Resend({ verification, onSent }: { verification: Verification | null; onSent: () => void }) {
  const { t } = useTranslation();
  const now = useNow(1000);
  const wait = verification ? Math.ceil((verification.sentAt + resendAfter * 1000 - now) / 1000) : 0;
  const { mutate, isPending } = useMutation({
    mutationFn: (token: string) => send(authCalls.resendCode, { body: {} }, { token }),
    onSuccess: () => {
      onSent();
      toast.success(t('auth.verify.sent'));
    },
  });
  return (
    <chakra.button
      type="button"
      display="flex"
      alignItems="center"
      gap="3"
      w="full"
      minH="52px"
      textAlign="start"
      cursor="pointer"
      borderRadius="control"
      disabled={!verification || wait > 0 || isPending}
      onClick={() => verification && mutate(verification.token)}
      _disabled={{ cursor: 'not-allowed', color: 'fg.muted' }}
      _focusVisible={{ outline: '3px solid', outlineColor: 'accent.focusRing' }}
    >
      <Box color="fg.muted">
        <ArrowsClockwiseIcon size={20} aria-hidden />
      </Box>
      <Text as="span" flex="1">
        {t('auth.verify.resend')}
      </Text>
      {wait > 0 && (
        <Text as="span" color="fg.muted" fontVariantNumeric="tabular-nums">
          {t('auth.verify.resendIn', { time: formatSeconds(wait) })}
        </Text>
      )}
    </chakra.button>
  );
}

interface OtherWayProps {
  method: 'totp' | 'passkey';
  recovery: boolean;
  onChange: (recovery: boolean) => void;
}

/** Between the app, or the passkey, and a recovery code. */
function OtherWay({ method, recovery, onChange }: OtherWayProps) {
  const { t } = useTranslation();
  return (
    <Box mt="22px" textAlign="center">
      <Button variant="ghost" onClick={() => onChange(!recovery)}>
        {t(!recovery ? 'auth.verify.recovery' : method === 'totp' ? 'auth.verify.useApp' : 'auth.verify.usePasskey')}
      </Button>
      <Text fontSize="sm" color="fg.muted" mt="2">
        {t(method === 'totp' ? 'auth.verify.lost' : 'auth.verify.lostPasskey')}
      </Text>
    </Box>
  );
}

/** The lamp goes on: shown for the two seconds before the first screen. */
function SignedIn() {
  const { t } = useTranslation();
  return (
    <Flex
      role="status"
      direction="column"
      align="center"
      textAlign="center"
      gap="3"
      py="8"
      animationName="lightUp"
      animationDuration="light"
    >
      <Box color="success.fg">
        <SealCheckIcon size={64} weight="fill" aria-hidden />
      </Box>
      <Text textStyle="section">{t('auth.verify.done')}</Text>
      <Text color="fg.muted">{t('auth.verify.doneText')}</Text>
    </Flex>
  );
}

export function VerifyAccount() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [verification, setVerification] = useAtom(verificationAtom);
  const totp = verification?.method === 'totp';
  const passkey = verification?.method === 'passkey';
  const words = useWrongCode(totp || passkey);
  // Where no passkey can be used, a recovery code is what is left.
  const [recovery, setRecovery] = useState(() => (passkey && !passkeysPossible() ? '' : undefined));
  const byPasskey = passkey && recovery === undefined;
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [goTo, setGoTo] = useState<string>();

  useEffect(() => {
    if (!goTo) return;
    const timer = setTimeout(() => navigate(goTo, { replace: true }), limits.redirectAfterVerification);
    return () => clearTimeout(timer);
  }, [goTo, navigate]);

  const confirm = useMutation({
    mutationFn: (token: string) =>
      send(authCalls.confirm, { body: recovery === undefined ? { code } : { recoveryCode: recovery } }, { token }),
    meta: { silent: true },
    onSuccess: ({ data }) => {
      setGoTo(takePlace(data.user.id) ?? startOf(data.user.role.name));
      startSession(data.user, data.token);
      setTotpDue(data.setUpTotp === true);
      setVerification(null);
    },
    onError: (failed) => {
      setCode('');
      const refusal = words(failed);
      if (refusal) return setError(refusal);
      if (failed instanceof ApiError && failed.errors.length) {
        for (const fault of failed.errors) toast.error(fieldText(fault));
      } else toast.error(errorText(failed));
    },
  });

  const submit = () => {
    if (recovery !== undefined && !recoveryCodePattern.test(recovery.trim())) {
      return setError(said(texts.validRecoveryCode));
    }
    if (!verification || (recovery === undefined && !codePattern.test(code))) {
      return setError(t(totp ? 'security.setUp.incomplete' : 'auth.verify.incomplete'));
    }
    setError(undefined);
    confirm.mutate(verification.token);
  };

  const Badge = totp ? DeviceMobileIcon : passkey ? FingerprintIcon : EnvelopeSimpleOpenIcon;
  return (
    <AuthFrame
      title={t(byPasskey ? 'auth.passkey.title' : passkey ? 'auth.verify.recoveryLabel' : 'auth.verify.title')}
      badge={<Badge size={28} aria-hidden />}
      sub={
        !goTo && (
          <>
            <Text>
              {t(
                recovery !== undefined
                  ? 'auth.verify.recoveryText'
                  : passkey
                    ? 'auth.passkey.text'
                    : totp
                      ? 'auth.verify.totpText'
                      : 'auth.verify.text',
              )}
            </Text>
            {verification && (
              <Flex gap="2" align="baseline" wrap="wrap" mt="0.5">
                <Text as="strong" fontWeight="semibold" color="fg" overflowWrap="anywhere">
                  {verification.email}
                </Text>
                <Link asChild variant="underline" fontSize="sm">
                  <RouterLink to={paths.login}>{t('auth.verify.change')}</RouterLink>
                </Link>
              </Flex>
            )}
          </>
        )
      }
    >
      {goTo ? (
        <SignedIn />
      ) : (
        <>
          {byPasskey ? (
            <PasskeySignIn />
          ) : (
            <form
              noValidate
              onSubmit={(event) => {
                event.preventDefault();
                submit();
              }}
            >
              {recovery === undefined ? (
                <CodeInput
                  autoFocus
                  value={code}
                  onChange={(next) => {
                    setCode(next);
                    if (next) setError(undefined);
                  }}
                  error={error}
                  help={
                    <>
                      <ClockIcon size={17} aria-hidden />
                      {t(totp ? 'auth.verify.totpHelp' : 'auth.verify.help')}
                    </>
                  }
                />
              ) : (
                <TextField
                  label={t('auth.verify.recoveryLabel')}
                  autoFocus
                  autoComplete="off"
                  autoCapitalize="characters"
                  spellCheck={false}
                  dir="ltr"
                  fontFamily="mono"
                  value={recovery}
                  error={error}
                  onChange={(event) => {
                    setRecovery(event.target.value);
                    setError(undefined);
                  }}
                />
              )}
              <Button
                type="submit"
                size="xl"
                w="full"
                mt="22px"
                loading={confirm.isPending}
                loadingText={t('auth.verify.pending')}
              >
                {t('auth.verify.act')}
              </Button>
            </form>
          )}
          {totp || passkey ? (
            <OtherWay
              method={totp ? 'totp' : 'passkey'}
              recovery={recovery !== undefined}
              onChange={(next) => {
                setError(undefined);
                setRecovery(next ? '' : undefined);
              }}
            />
          ) : (
            <Box layerStyle="card" mt="22px" px="4" py="1">
              <Resend
                verification={verification}
                onSent={() => {
                  setError(undefined);
                  setCode('');
                  if (verification) setVerification({ ...verification, sentAt: Date.now() });
                }}
              />
              <Flex align="center" gap="3" minH="52px" borderTopWidth="1px">
                <Box color="fg.muted">
                  <TrayIcon size={20} aria-hidden />
                </Box>
                {t('auth.verify.junk')}
              </Flex>
            </Box>
          )}
        </>
      )}
      {!goTo && (
        <Text textAlign="center" mt="5" mb="6">
          <Link asChild variant="underline" fontWeight="semibold">
            <RouterLink to={paths.login}>{t('auth.haveAccount')}</RouterLink>
          </Link>
        </Text>
      )}
    </AuthFrame>
  );
}
