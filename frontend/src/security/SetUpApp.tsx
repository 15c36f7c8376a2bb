import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { Code } from '@lightbox/contract/auth/calls.js';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWrongCode } from '../auth/useWrongCode';
import { errorText } from '../lib/errors';
import { ApiError } from '../lib/http';
import { CodeInput } from '../ui/CodeInput';
import { LoadFailed } from '../ui/LoadFailed';
import { Waiting } from '../ui/Skeletons';
import { RecoveryCodes } from './RecoveryCodes';
import { totpSetUp, useConfirmTotp } from './security';

const Qr = lazy(async () => ({ default: (await import('./Qr')).Qr }));

const Step = ({ n, children }: { n: number; children: ReactNode }) => (
  <Flex gap="3">
    <Box
      flex="none"
      boxSize="26px"
      display="grid"
      placeItems="center"
      borderRadius="full"
      bg="accent.subtle"
      color="accent.onSubtle"
      fontSize="sm"
      fontWeight="semibold"
      aria-hidden
    >
      {n}
    </Box>
    <Box flex="1" minW="0">
      {children}
    </Box>
  </Flex>
);

/** Inserts a space after every four characters, to make the secret easier to type. */
const grouped = (secret: string) => secret.replace(/(.{4})(?=.)/g, '$1 ');

/**
 * Sets up the authenticator app: scan the QR code, enter a code of the app, store the recovery codes. The app is on before
 * `onDone`, so whoever shows this reads again also without it.
 */
export function SetUpApp({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch, isFetching } = useQuery(totpSetUp);
  const confirm = useConfirmTotp();
  const words = useWrongCode();
  const [code, setCode] = useState('');
  const [fault, setFault] = useState<string>();

  const refused = (failed: unknown) => {
    setCode('');
    // The secret cannot be used any more: show a new one.
    if (failed instanceof ApiError && ['CODE_LOCKED', 'EXPIRED'].includes(failed.code)) {
      void refetch();
      return setFault(t('security.setUp.again'));
    }
    setFault(words(failed) ?? errorText(failed));
  };
  const submit = () => {
    if (!Code.safeParse(code).success) return setFault(t('auth.verify.appIncomplete'));
    setFault(undefined);
    confirm.mutate(code, { onError: refused });
  };

  if (confirm.data) return <RecoveryCodes codes={confirm.data} onDone={onDone} />;
  if (error) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  return (
    <Flex
      as="form"
      direction="column"
      gap="5"
      aria-busy={isFetching}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      {...{ noValidate: true }}
    >
      <Step n={1}>{t('security.setUp.app')}</Step>
      <Step n={2}>
        <Text mb="3">{t('security.setUp.scan')}</Text>
        {data ? (
          <>
            <Suspense fallback={<Waiting boxSize="200px" />}>
              <Qr value={data.uri} label={t('security.setUp.qr')} />
            </Suspense>
            <Text fontSize="sm" color="fg.muted" mt="3">
              {t('security.setUp.type')}
            </Text>
            <Text fontFamily="mono" fontWeight="semibold" dir="ltr" w="fit-content" overflowWrap="anywhere" data-secret>
              {grouped(data.secret)}
            </Text>
          </>
        ) : (
          <Waiting boxSize="200px" />
        )}
      </Step>
      <Step n={3}>
        <Text mb="3">{t('security.setUp.code')}</Text>
        <CodeInput
          value={code}
          onChange={(next) => {
            setCode(next);
            if (next) setFault(undefined);
          }}
          error={fault}
          help={t('security.setUp.help')}
        />
      </Step>
      <Button type="submit" disabled={!data} loading={confirm.isPending} loadingText={t('security.setUp.pending')}>
        {t('security.setUp.act')}
      </Button>
    </Flex>
  );
}
