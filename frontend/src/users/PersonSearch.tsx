import { Box, chakra, Flex, Text } from '@chakra-ui/react';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { CheckIcon, MagnifyingGlassIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { useDebounced } from '../lib/useDebounced';
import { RoleBadge } from '../ui/Badge';
import { EmailLine } from '../ui/EmailLine';
import { TextField } from '../ui/Field';
import { PersonSkeleton } from '../ui/Skeletons';
import { UserAvatar } from '../ui/UserAvatar';
import { userList } from './users';

export type Person = z.infer<typeof UserRow>;

const lastFirst = (person: Person) => [person.lastname, person.firstname].filter(Boolean).join(', ') || person.username;

interface RowProps {
  person: Person;
  group: string;
  chosen: boolean;
  taken: boolean;
  onChoose: () => void;
}

function PersonRow({ person, group, chosen, taken, onChoose }: RowProps) {
  const { t } = useTranslation();
  return (
    <chakra.label
      display="flex"
      alignItems="center"
      gap="3"
      px="2.5"
      minH="56px"
      py="1.5"
      borderRadius="9px"
      position="relative"
      cursor={taken ? 'not-allowed' : 'pointer'}
      bg={chosen ? 'accent.subtle' : 'transparent'}
      _hover={chosen || taken ? {} : { bg: 'bg.muted' }}
      css={{
        '&:has(:focus-visible)': {
          outline: '3px solid var(--chakra-colors-accent-focus-ring)',
          outlineOffset: '-3px',
        },
      }}
    >
      <chakra.input
        type="radio"
        name={group}
        value={person.id}
        checked={chosen}
        disabled={taken}
        onChange={onChoose}
        position="absolute"
        inset="0"
        opacity="0"
        cursor="inherit"
      />
      <UserAvatar person={person} role={person.role} size="sm" />
      <Box flex="1" minW="0">
        <Text fontWeight="semibold" fontSize=".9375rem" lineHeight="1.35" truncate>
          <bdi>{lastFirst(person)}</bdi>
        </Text>
        <EmailLine fontSize="xs" color={chosen ? 'accent.onSubtle' : 'fg.muted'}>
          {person.email}
        </EmailLine>
        {!taken && (
          <Box hideFrom="sm" mt="1">
            <RoleBadge name={person.role} />
          </Box>
        )}
      </Box>
      {taken ? (
        <Text fontSize="xs" color="fg.muted" whiteSpace="nowrap">
          {t('sharing.share.hasAccess')}
        </Text>
      ) : (
        <Box hideBelow="sm">
          <RoleBadge name={person.role} />
        </Box>
      )}
      <Box
        aria-hidden
        boxSize="22px"
        flex="none"
        borderRadius="full"
        display="grid"
        placeItems="center"
        borderWidth="1.5px"
        borderColor={chosen ? 'accent.solid' : taken ? 'border' : 'border.control'}
        bg={chosen ? 'accent.solid' : 'bg.surface'}
        color="accent.contrast"
      >
        {chosen && <CheckIcon size={13} weight="bold" />}
      </Box>
    </chakra.label>
  );
}

interface Props {
  chosen: Person | undefined;
  onChoose: (person: Person) => void;
  /** The ids of people who already have access: they cannot be chosen. */
  taken: ReadonlySet<string>;
  error?: string | undefined;
}

/** A field to search for a person on the server and to choose one of the results. */
export function PersonSearch({ chosen, onChoose, taken, error }: Props) {
  const { t } = useTranslation();
  const group = useId();
  const [search, setSearch] = useState('');
  const word = useDebounced(search.trim());
  const { data, isPending, isError, isPlaceholderData } = useQuery(userList({ search: word || undefined, limit: 6 }));
  const found = data?.data ?? [];
  return (
    <Box>
      <TextField
        label={t('sharing.share.who')}
        Icon={MagnifyingGlassIcon}
        placeholder={t('sharing.share.search')}
        type="search"
        autoComplete="off"
        value={search}
        error={error}
        onChange={(event) => setSearch(event.target.value)}
        // Only the button may share: Enter in the search must not submit the form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <Box
        role="radiogroup"
        aria-label={t('sharing.share.people')}
        aria-busy={isPlaceholderData}
        mt="1.5"
        p="1.5"
        borderWidth="1px"
        borderColor="border"
        borderRadius="box"
        maxH="196px"
        overflowY="auto"
      >
        {isPending && (
          <Box px="2.5">
            <PersonSkeleton />
            <PersonSkeleton />
          </Box>
        )}
        {(isError || (data && found.length === 0)) && (
          <Flex align="center" justify="center" minH="72px" px="3">
            <Text fontSize="sm" color="fg.muted" role="status">
              {isError ? t('sharing.share.searchFailed') : t('sharing.share.nobody')}
            </Text>
          </Flex>
        )}
        {found.map((person) => (
          <PersonRow
            key={person.id}
            person={person}
            group={group}
            chosen={chosen?.id === person.id}
            taken={taken.has(person.id)}
            onChoose={() => onChoose(person)}
          />
        ))}
      </Box>
    </Box>
  );
}
