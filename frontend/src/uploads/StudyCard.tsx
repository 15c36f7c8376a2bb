import { Box, Checkbox, Flex, Text } from '@chakra-ui/react';
import { StackIcon, WarningIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../lib/format';
import { Note } from '../ui/Note';
import { CaptionRow } from './CaptionRow';
import type { Study } from './plan';
import { filesOf, patientLine, seriesCaption, studyTitle } from './selection';

interface Props {
  study: Study;
  included: boolean;
  onInclude: (included: boolean) => void;
  captions: Record<string, string>;
  faults: Record<string, string>;
  onCaption: (key: string, caption: string) => void;
}

/** One DICOM study that will be made: its series, and the patient that its files name. */
export function StudyCard({ study, included, onInclude, captions, faults, onCaption }: Props) {
  const { t } = useTranslation();
  const title = studyTitle(study);
  const files = filesOf(study);
  const bytes = files.reduce((sum, { source }) => sum + source.size, 0);
  const patient = patientLine(study.patient);
  const counts = [
    t('uploads.plan.series', { count: study.series.length }),
    t('uploads.plan.images', { count: files.length }),
    formatBytes(bytes),
  ].join(', ');
  return (
    <Box as="section" layerStyle="card" p={{ base: '4', lg: '5' }} aria-label={title}>
      <Flex gap="3" align="flex-start">
        <Checkbox.Root mt="1" checked={included} onCheckedChange={({ checked }) => onInclude(checked === true)}>
          <Checkbox.HiddenInput aria-label={t('uploads.plan.include', { name: title })} />
          <Checkbox.Control />
        </Checkbox.Root>
        <Box color="accent.fg" flex="none">
          <StackIcon size={26} weight="duotone" aria-hidden />
        </Box>
        <Box minW="0" flex="1">
          <Text as="h2" fontWeight="semibold" overflowWrap="anywhere">
            <bdi>{title}</bdi>
          </Text>
          <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
            {counts}
          </Text>
          {patient && (
            <Text fontSize="sm" color="fg.muted" overflowWrap="anywhere">
              {t('uploads.plan.named', { patient })}
            </Text>
          )}
        </Box>
      </Flex>
      {study.mixed && (
        <Box mt="3">
          <Note Icon={WarningIcon} tone="warning" title={t('uploads.plan.mixed')} />
        </Box>
      )}
      {included && (
        <Flex as="ul" direction="column" gap="3" mt="4" listStyleType="none">
          {study.series.map((series) => (
            <CaptionRow
              key={series.key}
              name={
                series.number === undefined
                  ? t('uploads.plan.seriesUnnumbered')
                  : t('uploads.plan.seriesName', { number: series.number })
              }
              aside={[series.modality, t('uploads.plan.images', { count: series.files.length })]
                .filter(Boolean)
                .join(' · ')}
              value={captions[series.key] ?? seriesCaption(study, series)}
              error={faults[series.key]}
              onChange={(caption) => onCaption(series.key, caption)}
            />
          ))}
        </Flex>
      )}
    </Box>
  );
}
