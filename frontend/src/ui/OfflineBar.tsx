import { Flex, Text } from '@chakra-ui/react';
import { WifiSlashIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { socketAtom } from '../lib/connection';
import { useOnline } from '../lib/useConnected';

/** In ms. The bar appears only after this time without a socket, so that short interruptions show nothing. */
const delayMs = 6000;

function useLostConnection() {
  const connecting = useAtomValue(socketAtom) === 'connecting';
  const [lost, setLost] = useState(false);
  useEffect(() => {
    if (!connecting) return setLost(false);
    const timer = setTimeout(() => setLost(true), delayMs);
    return () => clearTimeout(timer);
  }, [connecting]);
  return lost;
}

/** The amber bar below the top bar, shown while there is no connection. */
export function OfflineBar() {
  const { t } = useTranslation();
  const offline = !useOnline();
  const lost = useLostConnection();
  const what = offline ? 'offline' : 'reconnecting';
  return (
    <div role="status">
      {(offline || lost) && (
        <Flex
          align="center"
          gap="2.5"
          px="4"
          py="2"
          mb={{ base: '0', lg: '2.5' }}
          borderRadius={{ base: '0', lg: '12px' }}
          bg="warning.subtle"
          color="warning.onSubtle"
          fontSize="sm"
        >
          <WifiSlashIcon size={20} aria-hidden />
          <Text>
            <strong>{t(`app.${what}.title`)}</strong> {t(`app.${what}.text`)}
          </Text>
        </Flex>
      )}
    </div>
  );
}
