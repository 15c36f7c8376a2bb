import { Button, Flex, Heading, Input, InputGroup, NativeSelect, Text } from '@chakra-ui/react';
import { roles } from '@lightbox/contract/permissions.js';
import { MagnifyingGlassIcon, UserMinusIcon, UserPlusIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccountAct } from './AccountDialog';

interface BarProps {
  search: string;
  onSearch: (text: string) => void;
  role: string;
  onRole: (role: string) => void;
  act: ReactNode;
}

/** The title, the search and the role filter above the user table. Their sizes are in rem: larger text needs larger fields. */
export function SearchBar({ search, onSearch, role, onRole, act }: BarProps) {
  const { t } = useTranslation();
  return (
    <Flex align="center" gap="2.5" px="5" py="3.5" wrap="wrap">
      <Heading as="h2" textStyle="section" me="auto">
        {t('users.table.title')}
      </Heading>
      <InputGroup
        w={{ base: 'full', sm: '16.875rem' }}
        startElement={<MagnifyingGlassIcon size={18} aria-hidden />}
        startElementProps={{ color: 'fg.muted' }}
      >
        <Input
          type="search"
          h="2.375rem"
          aria-label={t('users.table.searchLabel')}
          placeholder={t('users.table.search')}
          value={search}
          onChange={(event) => onSearch(event.target.value)}
        />
      </InputGroup>
      <NativeSelect.Root w={{ base: 'full', sm: '10.625rem' }} size="sm">
        <NativeSelect.Field
          h="2.375rem"
          fontWeight="medium"
          aria-label={t('users.table.roleFilter')}
          value={role}
          onChange={(event) => onRole(event.target.value)}
        >
          <option value="">{t('users.table.allRoles')}</option>
          {roles.map((name) => (
            <option key={name} value={name}>
              {t(`app.role.${name}`)}
            </option>
          ))}
        </NativeSelect.Field>
        <NativeSelect.Indicator />
      </NativeSelect.Root>
      {act}
    </Flex>
  );
}

/** Replaces the search while rows are selected, with the actions for all selected rows. */
export function SelectionBar({
  count,
  onAct,
  onClear,
}: {
  count: number;
  onAct: (act: AccountAct) => void;
  onClear: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Flex
      align="center"
      gap="2.5"
      px="5"
      py="3.5"
      wrap="wrap"
      bg="accent.subtle"
      color="accent.onSubtle"
      borderTopRadius="card"
    >
      <Text fontWeight="semibold" me="auto" role="status">
        {t('users.table.selected', { count })}
      </Text>
      <Button variant="outline" size="sm" onClick={() => onAct('activate')}>
        <UserPlusIcon aria-hidden />
        {t('users.table.activate')}
      </Button>
      <Button variant="outline" size="sm" onClick={() => onAct('deactivate')}>
        <UserMinusIcon aria-hidden />
        {t('users.table.deactivate')}
      </Button>
      <Button variant="ghost" size="sm" onClick={onClear}>
        {t('users.table.clear')}
      </Button>
    </Flex>
  );
}
