import { Box, Button, Checkbox, Flex, Text } from '@chakra-ui/react';
import { InfoIcon } from '@phosphor-icons/react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../lib/format';
import { TextField } from '../ui/Field';
import { Note } from '../ui/Note';
import { Segment } from '../ui/Segment';
import { CaptionRow } from './CaptionRow';
import type { Plan } from './plan';
import { type Choices, fileCaption, isIncluded, mayJoin, namesIn, singleByDefault, singlesTitle } from './selection';

/** More rows would slow the page down; the person can ask for them. */
const rowsAtFirst = 40;

interface Props {
  plan: Plan;
  choices: Choices;
  faults: Record<string, string>;
  titleFault: string | undefined;
  onCaption: (key: string, caption: string) => void;
  onInclude: (key: string, included: boolean) => void;
  onChange: (change: Partial<Choices>) => void;
}

/** The files that belong to no DICOM study: each for itself, or the pictures and documents together as one study. */
export function SingleList({ plan, choices, faults, titleFault, onCaption, onInclude, onChange }: Props) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  const how = useId();
  const names = namesIn(plan);
  const shown = all ? plan.single : plan.single.slice(0, rowsAtFirst);
  const title = singlesTitle(plan.single);
  return (
    <Box as="section" layerStyle="card" p={{ base: '4', lg: '5' }} aria-label={title}>
      <Text as="h2" fontWeight="semibold" mb="3">
        {title}
      </Text>
      {plan.disc && plan.single.some(({ kind }) => kind !== 'dicom') && (
        <Box mb="3">
          <Note Icon={InfoIcon} title={t('uploads.plan.discPictures')} />
        </Box>
      )}
      {mayJoin(plan) && (
        <Flex direction="column" gap="3" mb="4">
          <Box>
            <Text id={how} fontSize="sm" fontWeight="semibold" mb="1.5">
              {t('uploads.plan.how')}
            </Text>
            <Segment
              labelledBy={how}
              name={how}
              selected={choices.together ? 'study' : 'single'}
              onChange={(event) => onChange({ together: event.target.value === 'study' })}
              options={[
                { value: 'single', label: t('uploads.plan.separately') },
                { value: 'study', label: t('uploads.plan.asStudy') },
              ]}
            />
          </Box>
          {choices.together && (
            <TextField
              label={t('uploads.plan.studyTitle')}
              help={t('uploads.plan.captionHelp')}
              value={choices.title}
              error={titleFault}
              dir="auto"
              onChange={(event) => onChange({ title: event.target.value })}
            />
          )}
        </Flex>
      )}
      <Flex as="ul" direction="column" gap="3" listStyleType="none">
        {shown.map((one) => {
          const included = isIncluded(one.id, singleByDefault(one, plan), choices);
          const { name, size } = one.source;
          return (
            <CaptionRow
              key={one.id}
              name={name}
              aside={formatBytes(size)}
              start={
                <Checkbox.Root
                  checked={included}
                  onCheckedChange={({ checked }) => onInclude(one.id, checked === true)}
                >
                  <Checkbox.HiddenInput aria-label={t('uploads.plan.include', { name })} />
                  <Checkbox.Control />
                </Checkbox.Root>
              }
              value={choices.captions[one.id] ?? fileCaption(one, names)}
              error={included ? faults[one.id] : undefined}
              disabled={!included}
              onChange={(caption) => onCaption(one.id, caption)}
            />
          );
        })}
      </Flex>
      {!all && plan.single.length > rowsAtFirst && (
        <Button mt="3" size="sm" variant="outline" onClick={() => setAll(true)}>
          {t('uploads.plan.all', { count: plan.single.length })}
        </Button>
      )}
    </Box>
  );
}
