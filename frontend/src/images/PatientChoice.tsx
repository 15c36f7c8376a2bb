import { Button, Input, Text } from '@chakra-ui/react';
import { XIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName, type Named } from '../lib/format';
import { useDebounced } from '../lib/useDebounced';
import { userList } from '../users/users';

/** The combobox is large, and the gallery is there before it. */
const PersonCombobox = lazy(async () => ({ default: (await import('../ui/PersonCombobox')).PersonCombobox }));

interface Props {
  /** The id of the chosen patient. */
  chosen: string | undefined;
  /** The name, if an image on the screen or the choice has told it. */
  name: Named | undefined;
  onChoose: (id: string | undefined) => void;
}

/** Narrows the gallery to the images of one patient. */
export function PatientChoice({ chosen, name, onChoose }: Props) {
  const { t } = useTranslation();
  const [picked, setPicked] = useState<Named & { id: string }>();
  const [text, setText] = useState('');
  const word = useDebounced(text.trim());
  const { data } = useQuery({ ...userList({ search: word, role: 'patient', limit: 6 }), enabled: word !== '' });
  const people = useMemo(() => (word ? (data?.data ?? []) : []), [data, word]);
  const width = { base: 'full', lg: '240px' };
  if (chosen) {
    const known = name ?? (picked?.id === chosen ? picked : undefined);
    const shown = known ? fullName(known) : t('images.search.onePatient');
    return (
      <Button
        variant="outline"
        w={width}
        h="control"
        bg="bg.surface"
        justifyContent="start"
        aria-label={t('images.search.clearPatient', { name: shown })}
        onClick={() => onChoose(undefined)}
      >
        <Text as="bdi" flex="1" minW="0" textAlign="start" truncate>
          {shown}
        </Text>
        <XIcon aria-hidden />
      </Button>
    );
  }
  const words = t('images.search.patient');
  const waiting = (
    <Input w={width} h="control" ps="9" bg="bg.surface" placeholder={words} aria-label={words} disabled />
  );
  return (
    <Suspense fallback={waiting}>
      <PersonCombobox
        look="filter"
        w={width}
        people={people}
        value={[]}
        inputValue={text}
        onSearch={setText}
        onChoose={(person) => {
          setPicked(person);
          setText('');
          if (person) onChoose(person.id);
        }}
        selectionBehavior="clear"
        allowCustomValue
        placeholder={words}
        label={words}
        {...(word && data && { nobody: t('images.form.patientNone') })}
      />
    </Suspense>
  );
}
