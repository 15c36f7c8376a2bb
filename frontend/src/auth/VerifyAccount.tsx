import { Box, Button, chakra, Flex, Link, Text } from '@chakra-ui/react';
import { codePattern } from '@lightbox/contract/auth/rules.js';
import { limits } from '@lightbox/contract/limits.js';
import { ArrowsClockwiseIcon, ClockIcon, EnvelopeSimpleOpenIcon, SealCheckIcon, TrayIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink, useNavigate } from 'react-router-dom';
import { paths, startOf } from '../app/paths';
import { errorText, fieldText } from '../lib/errors';
import { formatSeconds } from '../lib/format';
import { ApiError, send } from '../lib/http';
import { toast } from '../lib/toaster';
import { useNow } from '../lib/useNow';
import { CodeInput } from '../ui/CodeInput';
import { AuthFrame } from './AuthFrame';
import { authCalls } from './calls';
import { startSession, takePlace, type Verification, verificationAtom } from './session';

/** Seconds before another code may be asked for. */
const resendAfter = 60;

function useWords() {
  const { t } = useTranslation();
  return (error: ApiError): string | undefined => {
    if (error.code === 'CODE_LOCKED') return t('auth.verify.locked');
    if (error.status === 401) return t('auth.verify.late');
    if (error.code !== 'WRONG_CODE') return undefined;
    const left = error.details.triesLeft;
    return typeof left === 'number' ? t('auth.verify.wrongTries', { count: left }) : t('auth.verify.wrong');
  };
}

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
  const words = useWords();
  const [verification, setVerification] = useAtom(verificationAtom);
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [goTo, setGoTo] = useState<string>();

  useEffect(() => {
    if (!goTo) return;
    const timer = setTimeout(() => navigate(goTo, { replace: true }), limits.redirectAfterVerification);
    return () => clearTimeout(timer);
  }, [goTo, navigate]);

  const confirm = useMutation({
    mutationFn: (token: string) => send(authCalls.confirm, { body: { code } }, { token }),
    meta: { silent: true },
    onSuccess: ({ data }) => {
      setGoTo(takePlace(data.user.id) ?? startOf(data.user.role.name));
      startSession(data.user, data.token);
      setVerification(null);
    },
    onError: (failed) => {
      setCode('');
      const said = failed instanceof ApiError ? words(failed) : undefined;
      if (said) return setError(said);
      if (failed instanceof ApiError && failed.errors.length) {
        for (const fault of failed.errors) toast.error(fieldText(fault));
      } else toast.error(errorText(failed));
    },
  });

  const submit = () => {
    if (!verification || !codePattern.test(code)) return setError(t('auth.verify.incomplete'));
    setError(undefined);
    confirm.mutate(verification.token);
  };

  return (
    <AuthFrame
      title={t('auth.verify.title')}
      badge={<EnvelopeSimpleOpenIcon size={28} aria-hidden />}
      sub={
        !goTo && (
          <>
            <Text>{t('auth.verify.text')}</Text>
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
          <form
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              submit();
            }}
          >
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
                  {t('auth.verify.help')}
                </>
              }
            />
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
