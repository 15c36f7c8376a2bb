import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '../lib/format';
import { useDebounced } from '../lib/useDebounced';
import { Field } from '../ui/Field';
import { PersonCombobox } from '../ui/PersonCombobox';
import type { Person } from '../users/PersonSearch';
import { userList } from '../users/users';

interface Props {
  chosen: Person | undefined;
  onChoose: (person: Person | undefined) => void;
  error?: string | undefined;
  /** By default the help of an upload. */
  help?: string;
  disabled?: boolean;
}

/** Searches the server for the patient of an image. */
export function PatientPicker({ chosen, onChoose, error, help, disabled = false }: Props) {
  const { t } = useTranslation();
  const [input, setInput] = useState('');
  // After a choice the box shows the person's name. Do not search for it.
  const typed = chosen && input === fullName(chosen) ? '' : input.trim();
  const word = useDebounced(typed);
  const { data, isPending, isError } = useQuery(userList({ search: word || undefined, role: 'patient', limit: 8 }));
  const people = useMemo(() => {
    const found = data?.data ?? [];
    return chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found;
  }, [data, chosen]);
  const nothing = isPending ? 'patientLoading' : isError ? 'patientFailed' : 'patientNone';
  return (
    <Field label={t('images.form.patient')} help={help ?? t('images.form.patientHelp')} error={error} optional>
      <PersonCombobox
        look="field"
        people={people}
        value={chosen ? [chosen.id] : []}
        inputValue={input}
        onSearch={setInput}
        onChoose={onChoose}
        triggers
        openOnClick
        size="lg"
        disabled={disabled}
        placeholder={t('images.form.patientPlaceholder')}
        nobody={t(`images.form.${nothing}`)}
        translations={{
          clearTriggerLabel: t('images.form.patientClear'),
          triggerLabel: t('images.form.patientShow'),
        }}
      />
    </Field>
  );
}
