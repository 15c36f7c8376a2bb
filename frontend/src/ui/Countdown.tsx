import { Box, Flex, Text, VisuallyHidden } from '@chakra-ui/react';
import { ClockCountdownIcon, ProhibitIcon, WarningIcon } from '@phosphor-icons/react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { daysAgo, formatDate, formatSpan, formatTime } from '../lib/format';
import { usePublicSettings } from '../lib/publicSettings';
import { HOUR_MS } from '../lib/times';
import { useNow } from '../lib/useNow';

function useEnding(expiresAt: string, left: number) {
  const { t } = useTranslation();
  if (left > 0) return t('time.endsIn', { span: formatSpan(left) });
  const [days, time] = [daysAgo(expiresAt), formatTime(expiresAt)];
  if (days === 0) return t('time.endedToday', { time });
  return days === 1 ? t('time.endedYesterday', { time }) : t('time.endedOn', { date: formatDate(expiresAt), time });
}

/** Returns the text for screen readers. It changes only when one hour is left and at the end, not every minute. */
function useAnnouncement(left: number) {
  const { t } = useTranslation();
  const before = useRef(left);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (before.current > HOUR_MS && left <= HOUR_MS && left > 0) setSaid(t('time.oneHourLeft'));
    if (before.current > 0 && left <= 0) setSaid(t('time.ended'));
    before.current = left;
  }, [left, t]);
  return said;
}

interface Props {
  expiresAt: string;
  /** The time at which the bar was full; without it, the default sharing time before the end. */
  startedAt?: number | undefined;
}

/** Shows the time that a share still gives access, as text and as a shrinking bar. */
export function Countdown({ expiresAt, startedAt }: Props) {
  const end = Date.parse(expiresAt);
  const now = useNow(30_000, end > Date.now());
  const left = end - now;
  const usual = usePublicSettings()['sharing.expiryHours'] * HOUR_MS;
  const total = startedAt === undefined ? usual : end - startedAt;
  const low = left > 0 && left <= Math.min(2 * HOUR_MS, total / 4);
  const words = useEnding(expiresAt, left);
  const said = useAnnouncement(left);
  const Icon = left <= 0 ? ProhibitIcon : low ? WarningIcon : ClockCountdownIcon;
  return (
    <Box>
      <Flex align="center" gap="1.5" mb="1.5" fontSize="xs" color={low ? 'danger.fg' : 'fg.muted'}>
        <Icon size={17} aria-hidden />
        <Text fontVariantNumeric="tabular-nums" fontWeight={low ? 'semibold' : 'normal'}>
          {words}
        </Text>
      </Flex>
      <Box
        h="4px"
        borderRadius="4px"
        overflow="hidden"
        bg="color-mix(in srgb, var(--chakra-colors-border-control) 34%, transparent)"
      >
        {left > 0 && (
          <Box
            h="full"
            borderRadius="4px"
            style={{ width: `${Math.max(3, Math.min(100, (left / total) * 100))}%` }}
            {...(low
              ? { bg: 'danger.solid' }
              : {
                  layerStyle: 'lamp',
                  boxShadow: '0 0 8px var(--chakra-colors-lamp)',
                })}
          />
        )}
      </Box>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </Box>
  );
}
