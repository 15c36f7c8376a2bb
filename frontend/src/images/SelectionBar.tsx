import { Button, Flex, Text } from '@chakra-ui/react';
import { ShareNetworkIcon } from '@phosphor-icons/react';
import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selection } from './useSelection';

interface Props {
  selection: Selection;
  onShare: () => void;
  /** The button that shares them. */
  ref: Ref<HTMLButtonElement>;
}

/** Counts the chosen images, above the bottom bar of a phone, with the button that shares them. */
export function SelectionBar({ selection, onShare, ref }: Props) {
  const { t } = useTranslation();
  const { chosen, end } = selection;
  if (!chosen) return null;
  return (
    <Flex
      role="group"
      aria-label={t('images.select.title')}
      position="sticky"
      bottom={{ base: 'calc(96px + env(safe-area-inset-bottom))', lg: '4' }}
      zIndex="docked"
      layerStyle="card"
      boxShadow="lg"
      align="center"
      gap="2.5"
      p="2.5"
      ps="4"
      wrap="wrap"
    >
      <Text flex="1" fontWeight="semibold" aria-live="polite">
        {t('images.select.count', { count: chosen.length })}
      </Text>
      <Button variant="outline" onClick={end}>
        {t('common.cancel')}
      </Button>
      <Button ref={ref} disabled={chosen.length === 0} onClick={onShare}>
        <ShareNetworkIcon />
        {t('images.select.share')}
      </Button>
    </Flex>
  );
}
