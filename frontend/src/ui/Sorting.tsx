import { chakra, Flex, NativeSelect } from '@chakra-ui/react';
import { CaretDownIcon, CaretUpDownIcon, CaretUpIcon } from '@phosphor-icons/react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

/** The order of a list as the server names it, `key` or `-key`, and how to ask for another one. */
export interface Sorting {
  value: string;
  onSort: (value: string) => void;
}

/** Something a list may be sorted by. Of times the latest come first, and they have words of their own. */
export interface SortKey {
  key: string;
  time?: boolean;
}

const turned = (value: string) => (value.startsWith('-') ? value.slice(1) : `-${value}`);

/** What a press on the header leads to. */
const nextOf = ({ key, time }: SortKey, value: string) =>
  value === key || value === `-${key}` ? turned(value) : time ? `-${key}` : key;

export const ariaSortOf = ({ key }: SortKey, value: string) =>
  value === key ? 'ascending' : value === `-${key}` ? 'descending' : 'none';

/** A column's name as a button; the state stands in the header's `aria-sort`. */
export function SortButton({ name, sort, sorting }: { name: string; sort: SortKey; sorting: Sorting }) {
  const state = ariaSortOf(sort, sorting.value);
  const Mark = state === 'ascending' ? CaretUpIcon : state === 'descending' ? CaretDownIcon : CaretUpDownIcon;
  return (
    <chakra.button
      type="button"
      display="inline-flex"
      alignItems="center"
      gap="1"
      mx="-1.5"
      px="1.5"
      minH="28px"
      borderRadius="6px"
      font="inherit"
      letterSpacing="inherit"
      textTransform="inherit"
      color={state === 'none' ? 'inherit' : 'fg'}
      cursor="pointer"
      focusVisibleRing="outside"
      _hover={{ color: 'fg', bg: 'bg.emphasized' }}
      onClick={() => sorting.onSort(nextOf(sort, sorting.value))}
    >
      {name}
      <Mark size={14} weight="bold" aria-hidden />
    </chakra.button>
  );
}

/** The same where there are no headers: every order by its words. */
export function SortSelect({ keys, sorting }: { keys: readonly (SortKey & { name: string })[]; sorting: Sorting }) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Flex align="center" gap="2.5" fontSize="sm" color="fg.muted">
      <label htmlFor={id}>{t('common.sortBy')}</label>
      <NativeSelect.Root size="sm" width="auto" minW="0">
        <NativeSelect.Field
          id={id}
          h={{ base: '44px', lg: '36px' }}
          color="fg"
          fontWeight="medium"
          value={sorting.value}
          onChange={(event) => sorting.onSort(event.target.value)}
        >
          {keys.flatMap(({ key, time, name }) =>
            (time ? [`-${key}`, key] : [key, `-${key}`]).map((value) => (
              <option key={value} value={value}>
                {time
                  ? t(value === key ? 'common.oldestFirst' : 'common.newestFirst')
                  : t(value === key ? 'common.ascending' : 'common.descending', { name })}
              </option>
            )),
          )}
        </NativeSelect.Field>
        <NativeSelect.Indicator />
      </NativeSelect.Root>
    </Flex>
  );
}
