import { Box, Flex, NativeSelect, Text } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { ClockCountdownIcon } from '@phosphor-icons/react';
import type { TFunction } from 'i18next';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { daysAgo, formatLongDay, formatTime } from '../lib/format';
import { HOUR_MS } from '../lib/times';
import { useNow } from '../lib/useNow';
import { Segment } from '../ui/Segment';

/** The hours offered beside the default, which an administrator sets. */
const near = [1, 24, 72, 168] as const;
const others = [6, 12, 48, 336, limits.shareHoursMax] as const;

/** Returns four choices, the default among them. */
export function choicesFor(usual: number): number[] {
  const rest = near.filter((hours) => hours !== usual);
  // The default replaces the nearest choice.
  const nearest = [...rest].sort((a, b) => Math.abs(a - usual) - Math.abs(b - usual))[0];
  const kept = rest.length < near.length ? rest : rest.filter((hours) => hours !== nearest);
  return [...kept, usual].sort((a, b) => a - b);
}

const spanOf = (t: TFunction, hours: number) =>
  hours > 24 && hours % 24 === 0
    ? t('sharing.share.days', { count: hours / 24 })
    : t('sharing.share.hours', { count: hours });

/** Asks how long a share or a link lasts, and shows its end in words. */
export function Expiry({
  usual,
  hours,
  onChange,
  question,
}: {
  /** The default, in hours. */
  usual: number;
  hours: number;
  onChange: (hours: number) => void;
  /** The label; by default that of a share. */
  question?: string;
}) {
  const { t } = useTranslation();
  const label = useId();
  const [other, setOther] = useState(false);
  const end = useNow(30_000) + hours * HOUR_MS;
  const [days, time, day] = [-daysAgo(end), formatTime(end), formatLongDay(end)];
  const ends = days === 0 ? 'endsToday' : days === 1 ? 'endsTomorrow' : 'endsOn';
  return (
    <Box>
      <Text id={label} fontSize="sm" fontWeight="semibold" mb="1.5">
        {question ?? t('sharing.share.howLong')}
      </Text>
      <Segment
        labelledBy={label}
        name={label}
        options={[
          ...choicesFor(usual).map((choice) => ({ value: String(choice), label: spanOf(t, choice) })),
          { value: 'other', label: t('sharing.share.other') },
        ]}
        selected={other ? 'other' : String(hours)}
        onChange={(event) => {
          const { value } = event.target;
          setOther(value === 'other');
          onChange(value === 'other' ? others[0] : Number(value));
        }}
      />
      {other && (
        <NativeSelect.Root size="lg" mt="2">
          <NativeSelect.Field
            aria-label={t('sharing.share.otherLabel')}
            value={hours}
            onChange={(event) => onChange(Number(event.target.value))}
            borderRadius="control"
            fontSize="md"
            h="field"
          >
            {others.map((choice) => (
              <option key={choice} value={choice}>
                {spanOf(t, choice)}
              </option>
            ))}
          </NativeSelect.Field>
          <NativeSelect.Indicator />
        </NativeSelect.Root>
      )}
      <Flex gap="1.5" mt="2" fontSize="xs" color="fg.muted" aria-live="polite">
        <ClockCountdownIcon size={17} aria-hidden style={{ flex: 'none' }} />
        {t(`sharing.share.${ends}`, { day, time })}
      </Flex>
    </Box>
  );
}
