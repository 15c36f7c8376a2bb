import { Box, Button, chakra, Flex, IconButton, Text } from '@chakra-ui/react';
import { emailPattern } from '@lightbox/contract/auth/rules.js';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { CheckIcon, EnvelopeSimpleIcon, MagnifyingGlassIcon, XIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { fullName } from '../lib/format';
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
  chosen: boolean;
  taken: boolean;
  onToggle: () => void;
}

function PersonRow({ person, chosen, taken, onToggle }: RowProps) {
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
        type="checkbox"
        value={person.id}
        checked={chosen}
        disabled={taken}
        onChange={onToggle}
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
        borderRadius="6px"
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

/** A chosen person or address, with a button to remove it. */
function Chip({ label, Icon, onRemove }: { label: string; Icon?: typeof EnvelopeSimpleIcon; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <Flex
      as="li"
      align="center"
      gap="1"
      maxW="full"
      ps="3"
      minH="32px"
      borderRadius="full"
      bg="accent.subtle"
      color="accent.onSubtle"
      fontSize="sm"
      fontWeight="medium"
    >
      {Icon && <Icon size={16} aria-hidden style={{ flex: 'none' }} />}
      <Text as="bdi" truncate>
        {label}
      </Text>
      <IconButton
        size="xs"
        variant="plain"
        color="inherit"
        minW="32px"
        borderRadius="full"
        aria-label={t('sharing.share.remove', { name: label })}
        onClick={onRemove}
      >
        <XIcon />
      </IconButton>
    </Flex>
  );
}

interface Props {
  people: readonly Person[];
  /** Addresses of people without an account. */
  emails: readonly string[];
  onChange: (people: readonly Person[], emails: readonly string[]) => void;
  /** The ids of people who already have access: they cannot be chosen. */
  taken: ReadonlySet<string>;
  error?: string | undefined;
}

/**
 * A field to search for people on the server and to choose several of the results. An address that belongs to nobody in
 * the directory can be invited.
 */
export function PersonSearch({ people, emails, onChange, taken, error }: Props) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const word = useDebounced(search.trim());
  const { data, isPending, isError, isPlaceholderData } = useQuery(userList({ search: word || undefined, limit: 6 }));
  const found = data?.data ?? [];
  const typed = search.trim().toLowerCase();
  const current = word === search.trim() && !isPlaceholderData && !isPending;
  const invites =
    current && emailPattern.test(typed) && !emails.includes(typed) && !found.some(({ email }) => email === typed);
  const toggle = (person: Person) =>
    onChange(
      people.some(({ id }) => id === person.id) ? people.filter(({ id }) => id !== person.id) : [...people, person],
      emails,
    );
  const invite = () => {
    onChange(people, [...emails, typed]);
    setSearch('');
  };
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
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          if (invites) invite();
        }}
      />
      {people.length + emails.length > 0 && (
        <Flex as="ul" listStyleType="none" gap="1.5" mt="2" wrap="wrap" aria-label={t('sharing.share.chosen')}>
          {people.map((person) => (
            <Chip key={person.id} label={fullName(person)} onRemove={() => toggle(person)} />
          ))}
          {emails.map((email) => (
            <Chip
              key={email}
              label={email}
              Icon={EnvelopeSimpleIcon}
              onRemove={() =>
                onChange(
                  people,
                  emails.filter((one) => one !== email),
                )
              }
            />
          ))}
        </Flex>
      )}
      <Box
        role="group"
        aria-label={t('sharing.share.people')}
        aria-busy={!current}
        mt="2"
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
        {(isError || (data && found.length === 0 && !invites)) && (
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
            chosen={people.some(({ id }) => id === person.id)}
            taken={taken.has(person.id)}
            onToggle={() => toggle(person)}
          />
        ))}
        {invites && (
          <Button variant="ghost" w="full" h="auto" minH="56px" justifyContent="flex-start" gap="3" onClick={invite}>
            <EnvelopeSimpleIcon />
            <Box textAlign="start" minW="0">
              <Text truncate>
                {t('sharing.share.invite')} <bdi>{typed}</bdi>
              </Text>
              <Text fontSize="xs" color="fg.muted" fontWeight="normal" whiteSpace="normal">
                {t('sharing.share.inviteText')}
              </Text>
            </Box>
          </Button>
        )}
      </Box>
    </Box>
  );
}
