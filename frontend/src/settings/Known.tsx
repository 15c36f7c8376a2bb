import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import type { Setting, SettingInfo } from '@lightbox/contract/settings/calls.js';
import { knownSettings } from '@lightbox/contract/settings/known.js';
import { ArrowCounterClockwiseIcon, ClockCounterClockwiseIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatDate, fullName } from '../lib/format';
import { Said } from '../ui/Said';
import { type Known, knownNames, knownOf, knownSettingList, readable, useKnownText } from './settings';

interface ActProps {
  settings: readonly Setting[];
  onSet: (name: string) => void;
  onDefault: (setting: Setting) => void;
  onHistory: (name: string) => void;
}

/** Shows the type, the range and the default of a setting. */
function Facts({ known, info }: { known: Known; info: SettingInfo | undefined }) {
  const { t } = useTranslation();
  const about = knownSettings[known.name];
  const kind = about.kind === 'number' ? t(`settings.unit.${about.unit}`) : t(`settings.${about.kind}`);
  const rows = [
    ...(info ? [[t('settings.now'), readable(known.name, info.current)]] : []),
    [t('settings.defaultIs'), known.fallback],
    [kind, known.range],
  ];
  return (
    <Flex as="dl" wrap="wrap" columnGap="5" rowGap="1" fontSize="sm" mt="2">
      {rows.map(([label, value]) => (
        <Flex key={label} gap="1.5">
          <Text as="dt" color="fg.muted">
            {label}
          </Text>
          <Text as="dd" dir="ltr" fontWeight="semibold" fontVariantNumeric="tabular-nums">
            {value}
          </Text>
        </Flex>
      ))}
    </Flex>
  );
}

function Changed({ changed }: { changed: SettingInfo['changed'] }) {
  const { t } = useTranslation();
  return (
    <Text fontSize="xs" color="fg.muted" mt="1.5">
      {changed ? (
        <Said i18nKey="settings.changedBy" values={{ name: fullName(changed.by), date: formatDate(changed.at) }} />
      ) : (
        t('settings.neverChanged')
      )}
    </Text>
  );
}

/** Lists the known settings: meaning, current value, last change, and buttons to change or reset them. */
export function KnownSettings({ settings, onSet, onDefault, onHistory }: ActProps) {
  const { t } = useTranslation();
  const knownText = useKnownText();
  const { data } = useQuery(knownSettingList);
  return (
    <Box as="section" layerStyle="card" mt="5" overflow="hidden">
      <Box px="5" py="4">
        <Heading as="h2" textStyle="section">
          {t('settings.knownTitle')}
        </Heading>
      </Box>
      <Box as="ul" listStyleType="none">
        {knownNames.map((name) => {
          const known = knownOf(name);
          const info = data?.find((one) => one.name === name);
          const setting = settings.find((one) => one.name === name);
          return (
            <Flex as="li" key={name} px="5" py="4" borderTopWidth="1px" gap="4" align="flex-start" wrap="wrap">
              <Box flex="1 1 340px" minW="0">
                <Text
                  as="h3"
                  fontFamily="mono"
                  fontSize="sm"
                  fontWeight="bold"
                  dir="ltr"
                  textAlign="start"
                  w="fit-content"
                >
                  {name}
                </Text>
                <Text fontSize="sm" color="fg.muted" maxW="72ch">
                  {knownText(name)}
                </Text>
                {known && <Facts known={known} info={info} />}
                {info && <Changed changed={info.changed} />}
              </Box>
              <Flex gap="1" wrap="wrap" justify={{ md: 'flex-end' }}>
                <Button
                  variant="ghost"
                  size="sm"
                  aria-label={t('settings.historyOf', { name })}
                  onClick={() => onHistory(name)}
                >
                  <ClockCounterClockwiseIcon aria-hidden />
                  {t('settings.history')}
                </Button>
                {setting ? (
                  <Button
                    variant="outline"
                    size="sm"
                    aria-label={t('settings.toDefaultName', { name })}
                    onClick={() => onDefault(setting)}
                  >
                    <ArrowCounterClockwiseIcon aria-hidden />
                    {t('settings.toDefault')}
                  </Button>
                ) : (
                  <Button
                    variant="outline"
                    size="sm"
                    aria-label={t('settings.setIt', { name })}
                    onClick={() => onSet(name)}
                  >
                    {t('settings.set')}
                  </Button>
                )}
              </Flex>
            </Flex>
          );
        })}
      </Box>
    </Box>
  );
}
