import { Box, chakra, Flex, Text } from '@chakra-ui/react';
import { ArrowsClockwiseIcon, TrayIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatSeconds } from '../lib/format';
import { send } from '../lib/http';
import { toast } from '../lib/toaster';
import { useNow } from '../lib/useNow';
import { authCalls } from './calls';
import type { Verification } from './session';

interface Props {
  verification: Verification | null;
  onSent: () => void;
}

/** In seconds: the time before another code may be requested. */
const resendAfter = 60;

/** The button that sends a new code by mail. Before it is enabled, it shows the remaining time. */
function Resend({ verification, onSent }: Props) {
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

/** The help for a mail that did not arrive: a new code, and a hint at the junk folder. */
export function NewCode(props: Props) {
  const { t } = useTranslation();
  return (
    <Box layerStyle="card" mt="22px" px="4" py="1">
      <Resend {...props} />
      <Flex align="center" gap="3" minH="52px" borderTopWidth="1px">
        <Box color="fg.muted">
          <TrayIcon size={20} aria-hidden />
        </Box>
        {t('auth.verify.junk')}
      </Flex>
    </Box>
  );
}
