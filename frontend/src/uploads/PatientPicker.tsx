import { plain } from '@lightbox/contract/plain.js';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '../lib/format';
import { useDebounced } from '../lib/useDebounced';
import { Field } from '../ui/Field';
import { PersonCombobox } from '../ui/PersonCombobox';
import type { Person } from '../users/PersonSearch';
import { userList } from '../users/users';
import type { PatientText } from './usePatientText';

interface Props {
  chosen: Person | undefined;
  onChoose: (person: Person | undefined) => void;
  /** Of the form, which asks before it sends a text for which no person was chosen. */
  text: PatientText;
  error?: string | undefined;
  /** By default the help of an upload. */
  help?: string;
  disabled?: boolean;
}

/** Searches the server for the patient of an image. */
export function PatientPicker({
  chosen,
  onChoose,
  text: { asks, isFault, onText },
  error,
  help,
  disabled = false,
}: Props) {
  const { t } = useTranslation();
  const [input, setInput] = useState('');
  // After a choice the box shows the person's name. Do not search for it.
  const typed = chosen && input === fullName(chosen) ? '' : input.trim();
  useEffect(() => onText(typed), [typed, onText]);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (asks) box.current?.focus();
  }, [asks]);
  // The form may get another patient from elsewhere.
  const name = chosen ? fullName(chosen) : '';
  useEffect(() => setInput(name), [name]);
  const word = useDebounced(typed);
  const { data, isPlaceholderData, isPending, isError } = useQuery(
    userList({ search: word || undefined, role: 'patient', limit: 8 }),
  );
  const isAnswered = word === typed && !isPlaceholderData;
  const people = useMemo(() => {
    const all = data?.data ?? [];
    // Until the answer for this text is there, the people of the one before who do not match are left out: otherwise the rows
    // move away from under the pointer.
    const found = isAnswered
      ? all
      : all.filter((person) => plain(`${fullName(person)} ${person.email}`).includes(plain(typed)));
    return chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found;
  }, [data, chosen, typed, isAnswered]);
  const nothing = isError ? 'patientFailed' : isPending || !isAnswered ? 'patientLoading' : 'patientNone';
  return (
    <Field
      label={t('images.form.patient')}
      help={help ?? t('images.form.patientHelp')}
      error={isFault ? t('images.form.patientOpen') : error}
      optional
    >
      <PersonCombobox
        // A new box: one that is left closes a moment later, and then hears no key although it has the focus again.
        key={asks}
        look="field"
        inputRef={box}
        people={people}
        value={chosen ? [chosen.id] : []}
        inputValue={input}
        onSearch={(text, reason) => {
          // A text for which nobody was chosen stays when the person goes on, so that they see it.
          if (reason === 'interact-outside') return;
          setInput(text);
          if (!text && chosen && reason === 'input-change') onChoose(undefined);
        }}
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
