import { Box, Combobox, createListCollection, Text } from '@chakra-ui/react';
import { MagnifyingGlassIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '../lib/format';
import { useDebounced } from '../lib/useDebounced';
import { EmailLine } from '../ui/EmailLine';
import { Field } from '../ui/Field';
import { UserAvatar } from '../ui/UserAvatar';
import type { Person } from '../users/PersonSearch';
import { userList } from '../users/users';

interface Props {
  chosen: Person | undefined;
  onChoose: (person: Person | undefined) => void;
  error?: string | undefined;
  disabled?: boolean;
}

/** Finds the patient an image is of, on the server. */
export function PatientPicker({ chosen, onChoose, error, disabled = false }: Props) {
  const { t } = useTranslation();
  const [input, setInput] = useState('');
  // What the box shows after a choice is the name, not a search.
  const typed = chosen && input === fullName(chosen) ? '' : input.trim();
  const word = useDebounced(typed);
  const { data, isPending, isError } = useQuery(userList({ search: word || undefined, role: 'patient', limit: 8 }));
  const collection = useMemo(() => {
    const found = data?.data ?? [];
    const items = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found;
    return createListCollection({ items, itemToValue: ({ id }) => id, itemToString: fullName });
  }, [data, chosen]);
  const nothing = isPending ? 'patientLoading' : isError ? 'patientFailed' : 'patientNone';
  return (
    <Field label={t('images.form.patient')} help={t('images.form.patientHelp')} error={error} optional>
      <Combobox.Root
        collection={collection}
        value={chosen ? [chosen.id] : []}
        inputValue={input}
        onInputValueChange={({ inputValue }) => setInput(inputValue)}
        onValueChange={({ items }) => onChoose(items[0])}
        openOnClick
        openOnChange
        size="lg"
        disabled={disabled}
        placeholder={t('images.form.patientPlaceholder')}
        positioning={{ sameWidth: true, gutter: 6 }}
        translations={{
          clearTriggerLabel: t('images.form.patientClear'),
          triggerLabel: t('images.form.patientShow'),
        }}
      >
        <Combobox.Control>
          <Box
            position="absolute"
            insetStart="13px"
            top="0"
            h="full"
            display="grid"
            placeItems="center"
            color="fg.muted"
            pointerEvents="none"
            zIndex="1"
          >
            <MagnifyingGlassIcon size={20} aria-hidden />
          </Box>
          <Combobox.Input
            h={{ base: '50px', lg: '44px' }}
            ps="42px"
            borderRadius="control"
            fontSize={{ base: 'md', lg: '.9375rem' }}
            autoComplete="off"
            dir="auto"
          />
          <Combobox.IndicatorGroup>
            <Combobox.ClearTrigger />
            <Combobox.Trigger />
          </Combobox.IndicatorGroup>
        </Combobox.Control>
        <Combobox.Positioner>
          <Combobox.Content borderRadius="12px" borderWidth="1px" borderColor="border" boxShadow="float" p="1.5">
            {collection.items.length === 0 && (
              <Text px="2.5" py="3" fontSize="sm" color="fg.muted" role="status">
                {t(`images.form.${nothing}`)}
              </Text>
            )}
            {collection.items.map((person) => (
              <Combobox.Item key={person.id} item={person} minH="52px" borderRadius="9px" px="2.5" gap="3">
                <UserAvatar person={person} role={person.role} size="sm" />
                <Box flex="1" minW="0">
                  <Combobox.ItemText>
                    <Text as="bdi" fontWeight="semibold" fontSize=".9375rem" display="block" truncate>
                      {fullName(person)}
                    </Text>
                  </Combobox.ItemText>
                  <EmailLine fontSize="xs" color="fg.muted">
                    {person.email}
                  </EmailLine>
                </Box>
                <Combobox.ItemIndicator />
              </Combobox.Item>
            ))}
          </Combobox.Content>
        </Combobox.Positioner>
      </Combobox.Root>
    </Field>
  );
}
