import { Button, Field, Flex, NativeSelect, Text } from '@chakra-ui/react';
import { modalities } from '@lightbox/contract/images/names.js';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DayInput } from '../ui/DayInput';
import { SidePanel } from '../ui/SidePanel';
import type { Search } from './useSearch';

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
          <DayInput
            h="control"
            dir="ltr"
            day={chosen[name] ?? ''}
            {...(name === 'to' && chosen.from && { min: chosen.from })}
            onPick={(day) => set(name, day)}
          />
        </Field.Root>
      ))}
      <Text fontSize="sm" color="fg.muted">
        {t('images.search.dateHelp')}
      </Text>
    </>
  );
}

interface Props extends Pick<ComponentProps<typeof SidePanel>, 'placement' | 'finalFocusEl' | 'onClose'> {
  open: boolean;
  search: Search;
  /** The filters above those of the panel, which are beside the search box on a desktop. */
  children: ReactNode;
}

/** The panel of the gallery's filters. On a phone it is a sheet from below. */
export function FilterPanel({ search, onClose, children, ...panel }: Props) {
  const { t } = useTranslation();
  return (
    <SidePanel {...panel} onClose={onClose} title={t('images.search.filter')}>
      <Flex direction="column" gap="5" px="5" pt="2" pb="5" overflowY="auto" flex="1">
        {children}
        <Facts search={search} />
      </Flex>
      <Flex gap="2.5" px="5" py="4" borderTopWidth="1px" borderColor="border" flex="none">
        <Button flex="1" onClick={onClose}>
          {t('images.search.show')}
        </Button>
        {search.count > 0 && (
          <Button variant="outline" onClick={search.clear}>
            {t('images.search.clear')}
          </Button>
        )}
      </Flex>
    </SidePanel>
  );
}
