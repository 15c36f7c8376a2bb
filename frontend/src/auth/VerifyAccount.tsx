import { Box, Button, Flex, Link, Text } from '@chakra-ui/react';
import {
  ClockIcon,
  DeviceMobileIcon,
  EnvelopeSimpleOpenIcon,
  FingerprintIcon,
  SealCheckIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Navigate, Link as RouterLink } from 'react-router-dom';
import { paths } from '../lib/paths';
import { CodeInput } from '../ui/CodeInput';
import { TextField } from '../ui/Field';
import { AuthFrame } from './AuthFrame';
import { NewCode } from './NewCode';
import { PasskeySignIn } from './PasskeySignIn';
import { type Confirming, useConfirm } from './useConfirm';

interface OtherWayProps {
  method: 'totp' | 'passkey';
  recovery: boolean;
  onChange: (recovery: boolean) => void;
}

/** The button that switches between the app or the passkey and a recovery code. */
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

/** The confirmation, shown for two seconds before the first screen opens. */
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

/** Says where to find the code, and for which address. */
function Where({ verification, method, recovery }: Confirming) {
  const { t } = useTranslation();
  const text =
    recovery !== undefined
      ? 'auth.verify.recoveryText'
      : method === 'passkey'
        ? 'auth.passkey.text'
        : method === 'totp'
          ? 'auth.verify.totpText'
          : 'auth.verify.text';
  return (
    <>
      <Text>{t(text)}</Text>
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
  );
}

/** The form for the code of the mail or of the app, or for a recovery code. */
function CodeForm({ method, code, recovery, error, pending, type, typeRecovery, submit }: Confirming) {
  const { t } = useTranslation();
  return (
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
          onChange={type}
          error={error}
          help={
            <>
              <ClockIcon size={17} aria-hidden />
              {t(method === 'totp' ? 'auth.verify.totpHelp' : 'auth.verify.help')}
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
          onChange={(event) => typeRecovery(event.target.value)}
        />
      )}
      <Button type="submit" size="xl" w="full" mt="22px" loading={pending} loadingText={t('auth.verify.pending')}>
        {t('auth.verify.act')}
      </Button>
    </form>
  );
}

/** The second step of a sign-in. */
export function VerifyAccount() {
  const { t } = useTranslation();
  const confirming = useConfirm();
  const { verification, method, byPasskey, recovery, done, typeRecovery, sentAgain } = confirming;
  const passkey = method === 'passkey';
  // Without a password that was accepted before, there is nothing to confirm here.
  if (!verification && !done) return <Navigate to={paths.login} replace />;
  const Badge = method === 'totp' ? DeviceMobileIcon : passkey ? FingerprintIcon : EnvelopeSimpleOpenIcon;
  return (
    <AuthFrame
      title={t(byPasskey ? 'auth.passkey.title' : passkey ? 'auth.verify.recoveryLabel' : 'auth.verify.title')}
      badge={<Badge size={28} aria-hidden />}
      sub={!done && <Where {...confirming} />}
    >
      {done ? (
        <SignedIn />
      ) : (
        <>
          {byPasskey ? <PasskeySignIn /> : <CodeForm {...confirming} />}
          {method ? (
            <OtherWay
              method={method}
              recovery={recovery !== undefined}
              onChange={(next) => typeRecovery(next ? '' : undefined)}
            />
          ) : (
            <NewCode verification={verification} onSent={sentAgain} />
          )}
          <Text textAlign="center" mt="5" mb="6">
            <Link asChild variant="underline" fontWeight="semibold">
              <RouterLink to={paths.login}>{t('auth.haveAccount')}</RouterLink>
            </Link>
          </Text>
        </>
      )}
    </AuthFrame>
  );
}
