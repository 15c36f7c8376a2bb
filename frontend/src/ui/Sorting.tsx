import { chakra, Flex, NativeSelect, Text } from '@chakra-ui/react';
import { CaretDownIcon, CaretUpDownIcon, CaretUpIcon } from '@phosphor-icons/react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

/** The order of a list in the server's form, `key` or `-key`, and a callback to change it. */
export interface Sorting {
  value: string;
  onSort: (value: string) => void;
}

/** A key to sort a list by. For times the latest come first by default, and the orders have their own labels. */
export interface SortKey {
  key: string;
  time?: boolean;
}

const turned = (value: string) => (value.startsWith('-') ? value.slice(1) : `-${value}`);

/** Returns the order after a press on the header. */
const nextOf = ({ key, time }: SortKey, value: string) =>
  value === key || value === `-${key}` ? turned(value) : time ? `-${key}` : key;

export const ariaSortOf = ({ key }: SortKey, value: string) =>
  value === key ? 'ascending' : value === `-${key}` ? 'descending' : 'none';

/** The name of a column as a button that sorts. The header cell has the state in `aria-sort`. */
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

/** A list of all orders, for layouts without column headers. */
export function SortSelect({
  keys,
  sorting,
  quietLabel = false,
}: {
  keys: readonly (SortKey & { name: string })[];
  sorting: Sorting;
  /** Leaves the label to screen readers, where there is little room. */
  quietLabel?: boolean;
}) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Flex align="center" gap="2.5" fontSize="sm" color="fg.muted">
      <Text asChild {...(quietLabel && { srOnly: true })}>
        <label htmlFor={id}>{t('common.sortBy')}</label>
      </Text>
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
