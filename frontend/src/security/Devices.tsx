import { Box, Button, Flex, Text } from '@chakra-ui/react';
import type { OwnSession } from '@lightbox/contract/auth/securityCalls.js';
import { DesktopIcon, DeviceMobileIcon, SignOutIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatDateTime, ltr } from '../lib/format';
import { toast } from '../lib/toaster';
import { LoadFailed } from '../ui/LoadFailed';
import { Waiting } from '../ui/Skeletons';
import { ownSessions, useEndOthers, useEndSession } from './security';

const handheld = ['iOS', 'iPadOS', 'Android'];

function useDeviceName() {
  const { t } = useTranslation();
  return ({ browser, system }: OwnSession): string => {
    if (browser && system) return t('security.devices.name', { browser, system });
    return browser ?? system ?? t('security.devices.unknown');
  };
}

/** On a phone the button is aligned with the text, not with the icon. */
const underName = { ms: { base: '38px', sm: '0' }, maxW: { base: 'calc(100% - 38px)', sm: 'full' } };

function Device({ device }: { device: OwnSession }) {
  const { t } = useTranslation();
  const end = useEndSession();
  const name = useDeviceName()(device);
  const Mark = handheld.includes(device.system ?? '') ? DeviceMobileIcon : DesktopIcon;
  return (
    <Flex as="li" align="center" gap="3.5" py="3" borderTopWidth="1px" _first={{ borderTopWidth: '0' }} wrap="wrap">
      <Box color="fg.muted" flex="none">
        <Mark size={24} aria-hidden />
      </Box>
      <Box flex="1 1 220px" minW="0">
        <Text fontWeight="semibold">{name}</Text>
        <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
          {t('security.devices.seen', { time: formatDateTime(device.lastSeenAt), ip: ltr(device.ip) })}
        </Text>
      </Box>
      {device.current ? (
        <Text {...underName} fontSize="sm" fontWeight="semibold" color="success.fg">
          {t('security.devices.current')}
        </Text>
      ) : (
        <Button
          {...underName}
          variant="outline"
          size="sm"
          loading={end.isPending}
          aria-label={t('security.devices.endName', { name })}
          onClick={() =>
            end.mutate(device.id, { onSuccess: () => toast.success(t('security.devices.ended', { name })) })
          }
        >
          <SignOutIcon aria-hidden />
          {t('security.devices.end')}
        </Button>
      )}
    </Flex>
  );
}

/** Lists the devices on which the person is signed in, with buttons to sign them out. */
export function Devices() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(ownSessions);
  const others = useEndOthers();
  const devices = data?.data;
  if (error && !devices) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (!devices) return <Waiting h="44px" w="80%" />;
  return (
    <>
      <Box as="ul" listStyleType="none" aria-label={t('security.devices.title')}>
        {devices.map((device) => (
          <Device key={device.id} device={device} />
        ))}
      </Box>
      {devices.length > 1 && (
        <Button
          variant="surface"
          colorPalette="danger"
          mt="3"
          loading={others.isPending}
          onClick={() =>
            others.mutate(undefined, {
              onSuccess: ({ data: { ended } }) => toast.success(t('security.devices.othersEnded', { count: ended })),
            })
          }
        >
          <SignOutIcon aria-hidden />
          {t('security.devices.endOthers')}
        </Button>
      )}
    </>
  );
}
