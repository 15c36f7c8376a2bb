import { Box, Button, chakra, Flex } from '@chakra-ui/react';
import { FunnelSimpleIcon } from '@phosphor-icons/react';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../auth/session';
import type { Named } from '../lib/format';
import { useIsDesktop } from '../lib/useMedia';
import { onOpening } from '../ui/onOpening';
import { PatientChoice } from './PatientChoice';
import { SearchBox } from './SearchBox';
import type { Search } from './useSearch';

const FilterPanel = onOpening(async () => (await import('./FilterPanel')).FilterPanel);

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
  const { chosen, set, count } = search;
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
      <FilterPanel
        open={open}
        onClose={() => setOpen(false)}
        search={search}
        placement={desktop ? 'end' : 'bottom'}
        finalFocusEl={() => opener.current}
      >
        {!desktop && order}
        {!desktop && <Chips search={search} />}
        {!desktop && patients}
      </FilterPanel>
    </Box>
  );
}
