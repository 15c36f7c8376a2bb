import { Box, Checkbox, chakra, Flex, Image, NativeSelect, Text } from '@chakra-ui/react';
import { FileTextIcon, ImageIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { imagePreview } from '../images/images';
import { useObjectUrl } from '../lib/useObjectUrl';
import type { Entry } from './entries';
import { viewerKey } from './keysOfQueries';
import { PanelTitle } from './Panel';
import type { Layout } from './useLayout';

function Thumb({ id, kind }: { id: string; kind: Entry['kind'] }) {
  const { data } = useQuery(imagePreview(viewerKey, id));
  const url = useObjectUrl(data);
  const Icon = kind === 'stack' ? ImageIcon : FileTextIcon;
  return (
    <Box
      boxSize="52px"
      flex="none"
      borderRadius="film"
      overflow="hidden"
      bg="viewer.bg"
      display="grid"
      placeItems="center"
    >
      {url ? <Image src={url} alt="" boxSize="full" objectFit="cover" /> : <Icon size={24} aria-hidden />}
    </Box>
  );
}

const countOf = ({ kind, frameIds, facts }: Entry) => (kind === 'stack' ? frameIds.length : facts.frames);

/** The series of a study with their thumbnails: a click shows one. */
export function SeriesList({ entries, layout }: { entries: readonly Entry[]; layout: Layout }) {
  const { t } = useTranslation();
  return (
    <Box as="section">
      <PanelTitle>{t('viewer.series')}</PanelTitle>
      <Flex direction="column" gap="1.5">
        {entries.map((entry) => {
          const chosen = layout.shownKeys.includes(entry.key);
          const count = countOf(entry);
          return (
            <chakra.button
              key={entry.key}
              type="button"
              data-series={entry.key}
              aria-pressed={chosen}
              onClick={() => layout.put(entry.key)}
              display="flex"
              alignItems="center"
              gap="3"
              p="1.5"
              textAlign="start"
              borderRadius="control"
              borderWidth="1px"
              borderColor={chosen ? 'viewer.active' : 'viewer.border'}
              cursor="pointer"
              _hover={{ bg: 'viewer.border' }}
              _focusVisible={{ outline: '3px solid', outlineColor: 'accent.focusRing', outlineOffset: '2px' }}
            >
              <Thumb id={entry.key} kind={entry.kind} />
              <Box minW="0" flex="1">
                <Text fontSize="14px" truncate dir="auto">
                  {entry.label}
                </Text>
                <Text fontSize="13px" color="viewer.muted">
                  {[entry.modality, count > 0 && t('viewer.files', { count })].filter(Boolean).join(' · ')}
                </Text>
              </Box>
            </chakra.button>
          );
        })}
      </Flex>
    </Box>
  );
}

/** The choice of the second picture, and whether both stacks scroll together. */
export function CompareWith({ entries, layout }: { entries: readonly Entry[]; layout: Layout }) {
  const { t } = useTranslation();
  const stacks = entries.filter(({ kind }) => kind === 'stack');
  return (
    <Box as="section">
      <PanelTitle>{t('viewer.compareWith')}</PanelTitle>
      {stacks.length > 1 && (
        <NativeSelect.Root size="sm" mb="3">
          <NativeSelect.Field
            aria-label={t('viewer.compareWith')}
            value={layout.shownKeys[1] ?? ''}
            onChange={(event) => layout.put(event.currentTarget.value, 1)}
          >
            {stacks.map(({ key, label, modality }, i) => (
              <option key={key} value={key}>
                {`${i + 1}. ${[modality, label].filter(Boolean).join(' ')}`}
              </option>
            ))}
          </NativeSelect.Field>
          <NativeSelect.Indicator />
        </NativeSelect.Root>
      )}
      <Checkbox.Root checked={layout.linked} onCheckedChange={({ checked }) => layout.setLinked(checked === true)}>
        <Checkbox.HiddenInput />
        <Checkbox.Control />
        <Checkbox.Label>{t('viewer.linked')}</Checkbox.Label>
      </Checkbox.Root>
    </Box>
  );
}
