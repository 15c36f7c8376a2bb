import { Button, Input, InputGroup, Text } from '@chakra-ui/react';
import { mayPickPerson } from '@lightbox/contract/audit/policy.js';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { MagnifyingGlassIcon, XIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { roleAtom } from '../auth/session';
import { fullName, type Named } from '../lib/format';
import { useDebounced } from '../lib/useDebounced';
import { PersonCombobox } from '../ui/PersonCombobox';
import { UserAvatar } from '../ui/UserAvatar';
import { userList } from '../users/users';

/** A chosen person. The id is in the address; the name is undefined if this page has not loaded it. */
export interface Picked {
  id: string;
  person: Named | undefined;
}

interface Props {
  search: string;
  onSearch: (text: string) => void;
  picked: Picked | undefined;
  onPick: (person: UserRow | undefined) => void;
}

const width = { base: 'full', md: '16.25rem' };
const height = 'control';

function Chosen({ picked: { id, person }, onClear }: { picked: Picked; onClear: () => void }) {
  const { t } = useTranslation();
  const name = person ? fullName(person) : id;
  return (
    <Button
      variant="outline"
      w={width}
      h={height}
      px="2"
      bg="bg.surface"
      justifyContent="start"
      aria-label={t('audit.person.clear', { name })}
      onClick={onClear}
    >
      {person && <UserAvatar person={person} size="sm" />}
      <Text as="bdi" flex="1" minW="0" textAlign="start" truncate {...(!person && { fontFamily: 'mono', dir: 'ltr' })}>
        {name}
      </Text>
      <XIcon aria-hidden />
    </Button>
  );
}

/** Filters the log by the typed text at once. The user can choose one of the people found instead. */
function People({ search, onSearch, onPick }: Omit<Props, 'picked'>) {
  const { t } = useTranslation();
  const word = useDebounced(search.trim());
  const { data } = useQuery({ ...userList({ search: word, limit: 6 }), enabled: word !== '' });
  const people = useMemo(() => (word ? (data?.data ?? []) : []), [data, word]);
  return (
    <PersonCombobox
      look="filter"
      w={width}
      people={people}
      value={[]}
      inputValue={search}
      onSearch={onSearch}
      onChoose={onPick}
      selectionBehavior="clear"
      allowCustomValue
      placeholder={t('audit.search')}
      label={t('audit.searchLabel')}
    />
  );
}

/** Filters the log by text, and for an administrator by person. */
export function PersonFilter({ search, onSearch, picked, onPick }: Props) {
  const { t } = useTranslation();
  const role = useAtomValue(roleAtom);
  if (role && mayPickPerson(role)) {
    if (picked) return <Chosen picked={picked} onClear={() => onPick(undefined)} />;
    return <People search={search} onSearch={onSearch} onPick={onPick} />;
  }
  return (
    <InputGroup
      w={width}
      startElement={<MagnifyingGlassIcon size={18} aria-hidden />}
      startElementProps={{ color: 'fg.muted' }}
    >
      <Input
        type="search"
        h={height}
        bg="bg.surface"
        aria-label={t('audit.searchLabel')}
        placeholder={t('audit.search')}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
    </InputGroup>
  );
}
