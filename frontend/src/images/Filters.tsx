import { Box, Button, chakra, Field, Flex, Input, NativeSelect, Text } from '@chakra-ui/react';
import { modalities } from '@lightbox/contract/images/names.js';
import { FunnelSimpleIcon } from '@phosphor-icons/react';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../auth/session';
import type { Named } from '../lib/format';
import { useIsDesktop } from '../lib/useMedia';
import { SidePanel } from '../ui/SidePanel';
import { PatientChoice } from './PatientChoice';
import { SearchBox } from './SearchBox';
import type { Search } from './useSearch';

const chips = [
  { name: 'state', value: 'notVerified' },
  { name: 'state', value: 'endsSoon' },
  { name: 'state', value: 'locked' },
  { name: 'kind', value: 'picture' },
  { name: 'kind', value: 'pdf' },
  { name: 'kind', value: 'dicom' },
] as const;

const Chip = chakra('button', {
  base: {
    display: 'inline-flex',
    alignItems: 'center',
    minH: { base: 'touch', lg: '32px' },
    px: '3',
    borderRadius: 'full',
    borderWidth: '1px',
    borderColor: 'border.control',
    bg: 'bg.surface',
    fontSize: 'sm',
    fontWeight: 'medium',
    whiteSpace: 'nowrap',
    cursor: 'pointer',
    focusVisibleRing: 'outside',
    '&:not([aria-pressed=true]):hover': { bg: 'bg.muted' },
    _pressed: { bg: 'fg', color: 'bg.surface', borderColor: 'fg' },
  },
});

/** States of shares and kinds of files. One of each can be chosen. */
function Chips({ search: { chosen, set } }: { search: Search }) {
  const { t } = useTranslation();
  // Only the people who share see that a recipient's share is locked.
  const shares = useMay('share.create');
  return (
    <Flex role="group" aria-label={t('images.search.chips')} gap="2" wrap="wrap">
      {chips
        .filter(({ value }) => shares || value !== 'locked')
        .map(({ name, value }) => (
          <Chip
            key={value}
            type="button"
            aria-pressed={chosen[name] === value}
            onClick={() => set(name, chosen[name] === value ? undefined : value)}
          >
            {t(`images.search.${value}`)}
          </Chip>
        ))}
    </Flex>
  );
}

/** The modality and the first and last day. */
function Facts({ search: { chosen, set } }: { search: Search }) {
  const { t } = useTranslation();
  const known = chosen.modality && !modalities.includes(chosen.modality) ? [chosen.modality] : [];
  return (
    <>
      <Field.Root>
        <Field.Label>{t('images.view.modality')}</Field.Label>
        <NativeSelect.Root>
          <NativeSelect.Field
            h="control"
            value={chosen.modality ?? ''}
            onChange={(event) => set('modality', event.target.value)}
          >
            <option value="">{t('images.search.anyModality')}</option>
            {[...modalities, ...known].map((code) => (
              <option key={code} value={code}>
                {code}
              </option>
            ))}
          </NativeSelect.Field>
          <NativeSelect.Indicator />
        </NativeSelect.Root>
      </Field.Root>
      {(['from', 'to'] as const).map((name) => (
        <Field.Root key={name}>
          <Field.Label>{t(`images.search.${name}`)}</Field.Label>
          <Input
            type="date"
            h="control"
            dir="ltr"
            value={chosen[name] ?? ''}
            {...(name === 'to' && chosen.from && { min: chosen.from })}
            onChange={(event) => set(name, event.target.value)}
          />
        </Field.Root>
      ))}
      <Text fontSize="sm" color="fg.muted">
        {t('images.search.dateHelp')}
      </Text>
    </>
  );
}

interface Props {
  search: Search;
  /** The name of the chosen patient, if an image on the screen has it. */
  patient: Named | undefined;
  /** The order of the lists, which is with the filters on a phone. */
  order: ReactNode;
}

/** The search box of the gallery and its filters. On a phone the filters and the order are in a sheet from below. */
export function Filters({ search, patient, order }: Props) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const byPatient = useMay('image.listOwn');
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const { chosen, set, clear, count } = search;
  const inPanel = desktop ? [chosen.modality, chosen.from, chosen.to].filter(Boolean).length : count;
  const patients = byPatient && (
    <PatientChoice chosen={chosen.patientId} name={patient} onChoose={(id) => set('patientId', id)} />
  );
  return (
    <Box role="search" aria-label={t('images.search.label')} mb={{ base: '3', lg: '6' }}>
      <Flex gap="2.5" align="center">
        <SearchBox search={search} />
        {desktop && patients}
        <Button
          ref={opener}
          variant="outline"
          h="control"
          bg="bg.surface"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          <FunnelSimpleIcon aria-hidden />
          {inPanel > 0 ? t('images.search.filterCount', { count: inPanel }) : t('images.search.filter')}
        </Button>
      </Flex>
      {desktop && (
        <Box mt="3">
          <Chips search={search} />
        </Box>
      )}
      <SidePanel
        open={open}
        onClose={() => setOpen(false)}
        placement={desktop ? 'end' : 'bottom'}
        finalFocusEl={() => opener.current}
        title={t('images.search.filter')}
      >
        <Flex direction="column" gap="5" px="5" pt="2" pb="5" overflowY="auto" flex="1">
          {!desktop && order}
          {!desktop && <Chips search={search} />}
          {!desktop && patients}
          <Facts search={search} />
        </Flex>
        <Flex gap="2.5" px="5" py="4" borderTopWidth="1px" borderColor="border" flex="none">
          <Button flex="1" onClick={() => setOpen(false)}>
            {t('images.search.show')}
          </Button>
          {count > 0 && (
            <Button variant="outline" onClick={clear}>
              {t('images.search.clear')}
            </Button>
          )}
        </Flex>
      </SidePanel>
    </Box>
  );
}
