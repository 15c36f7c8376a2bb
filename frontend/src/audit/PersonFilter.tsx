import { Box, Button, Combobox, createListCollection, Input, InputGroup, Text } from '@chakra-ui/react';
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
import { UserAvatar } from '../ui/UserAvatar';
import { userList } from '../users/users';

/** Somebody picked: the id is in the address, the name is what this page has seen of them. */
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

const width = { base: 'full', md: '260px' };
const height = { base: '44px', lg: '40px' };

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

/** Whoever may pick one of the people found does; the words narrow the log either way. */
function People({ search, onSearch, onPick }: Omit<Props, 'picked'>) {
  const { t } = useTranslation();
  const word = useDebounced(search.trim());
  const { data } = useQuery({ ...userList({ search: word, limit: 6 }), enabled: word !== '' });
  const collection = useMemo(() => {
    const items = word ? (data?.data ?? []) : [];
    return createListCollection({ items, itemToValue: ({ id }) => id, itemToString: fullName });
  }, [data, word]);
  return (
    <Combobox.Root
      w={width}
      collection={collection}
      value={[]}
      inputValue={search}
      onInputValueChange={({ inputValue }) => onSearch(inputValue)}
      onValueChange={({ items }) => onPick(items[0])}
      selectionBehavior="clear"
      allowCustomValue
      openOnChange
      placeholder={t('audit.search')}
      positioning={{ sameWidth: true, gutter: 6 }}
    >
      <Combobox.Control>
        <Box
          position="absolute"
          insetStart="3"
          top="0"
          h="full"
          display="grid"
          placeItems="center"
          color="fg.muted"
          pointerEvents="none"
          zIndex="1"
        >
          <MagnifyingGlassIcon size={18} aria-hidden />
        </Box>
        <Combobox.Input
          h={height}
          ps="9"
          bg="bg.surface"
          autoComplete="off"
          dir="auto"
          aria-label={t('audit.searchLabel')}
        />
      </Combobox.Control>
      {/* There from the start, for it is placed when it opens; without people it shows nothing. */}
      <Combobox.Positioner>
        <Combobox.Content
          borderRadius="12px"
          borderWidth="1px"
          borderColor="border"
          boxShadow="float"
          p="1.5"
          display={collection.items.length === 0 ? 'none' : 'block'}
        >
          {collection.items.map((person) => (
            <Combobox.Item key={person.id} item={person} minH="48px" borderRadius="9px" px="2.5" gap="3">
              <UserAvatar person={person} role={person.role} size="sm" />
              <Box flex="1" minW="0">
                <Combobox.ItemText>
                  <Text as="bdi" fontWeight="semibold" fontSize="sm" display="block" truncate>
                    {fullName(person)}
                  </Text>
                </Combobox.ItemText>
                <Text fontSize="xs" color="fg.muted" truncate>
                  <bdi>{person.email}</bdi>
                </Text>
              </Box>
            </Combobox.Item>
          ))}
        </Combobox.Content>
      </Combobox.Positioner>
    </Combobox.Root>
  );
}

/** Whose deeds: by words for everybody, and for an administrator exactly one person's. */
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
