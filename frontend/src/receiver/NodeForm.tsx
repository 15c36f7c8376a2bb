import { Button, Stack, Text } from '@chakra-ui/react';
import type { DicomNode } from '@lightbox/contract/receiver/calls.js';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { fullName, type Named } from '../lib/format';
import { useDebounced } from '../lib/useDebounced';
import { Field, TextField } from '../ui/Field';
import { PersonCombobox } from '../ui/PersonCombobox';
import { userList } from '../users/users';
import { useSave } from './dicomNodes';

interface Chosen extends Named {
  id: string;
}

/** Finds the person who owns what the device sends: a provider or an administrator. */
function Owner({
  chosen,
  error,
  onChoose,
}: {
  chosen: Chosen | undefined;
  error?: string;
  onChoose: (to?: Chosen) => void;
}) {
  const { t } = useTranslation();
  const [search, setSearch] = useState(chosen ? fullName(chosen) : '');
  const word = useDebounced(search.trim());
  const { data } = useQuery({ ...userList({ search: word, status: 'active', limit: 6 }), enabled: word !== '' });
  const people = useMemo(() => (word ? (data?.data ?? []).filter(({ role }) => role !== 'patient') : []), [data, word]);
  return (
    <Field label={t('receiver.person')} error={error}>
      <PersonCombobox
        look="field"
        people={people}
        value={chosen ? [chosen.id] : []}
        inputValue={search}
        onSearch={setSearch}
        onChoose={onChoose}
      />
    </Field>
  );
}

/** The form of a device: its AE title, its addresses, and the owner of what it sends. */
export function NodeForm({ node, act, onSaved }: { node?: DicomNode; act: string; onSaved: () => void }) {
  const { t } = useTranslation();
  const save = useSave(node?.id);
  const [title, setTitle] = useState(node?.title ?? '');
  const [addresses, setAddresses] = useState(node?.addresses.join(', ') ?? '');
  const [owner, setOwner] = useState<Chosen | undefined>(node?.user);
  const [needed, setNeeded] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setNeeded(!owner);
    if (!owner) return;
    const given = addresses.split(/[\s,]+/).filter(Boolean);
    save.mutate({ title: title.trim(), addresses: given, userId: owner.id }, { onSuccess: onSaved });
  };
  return (
    <Stack asChild gap="5">
      <form noValidate onSubmit={submit}>
        <TextField
          autoFocus
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          label={t('receiver.aeTitle')}
          help={t('receiver.aeTitleHelp')}
          maxLength={16}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <TextField
          optional
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          label={t('receiver.addresses')}
          help={t('receiver.addressesHelp')}
          value={addresses}
          onChange={(event) => setAddresses(event.target.value)}
        />
        <Owner
          chosen={owner}
          {...(needed && !owner && { error: t('receiver.personNeeded') })}
          onChoose={(to) => setOwner(to)}
        />
        {save.error && (
          <Text role="alert" fontSize="sm" color="fg.error" whiteSpace="pre-line">
            {errorText(save.error)}
          </Text>
        )}
        <Button type="submit" loading={save.isPending} loadingText={act}>
          {act}
        </Button>
      </form>
    </Stack>
  );
}
