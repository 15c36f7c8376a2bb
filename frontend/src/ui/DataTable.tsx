import { Box, Checkbox, Flex, NativeSelect, Skeleton, Table, Text } from '@chakra-ui/react';
import type { Pagination } from '@lightbox/contract/envelope.js';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../lib/format';
import { useIsWide } from '../lib/useMedia';
import type { Paging } from '../lib/usePaging';
import { CardFacts } from './Facts';
import { Arrows } from './Pager';
import { ariaSortOf, SortButton, type Sorting, type SortKey, SortSelect } from './Sorting';

export interface Column<Row> {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** True: the column is the title of the card on a phone, without its label. */
  lead?: boolean;
  width?: string;
  align?: 'end';
  /** The sort key, if the list can be sorted by this column. */
  sort?: SortKey;
}

interface Props<Row> {
  /** The name of the table for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  /** Returns the name of a row, for the labels of its checkbox and its menu. */
  rowName: (row: Row) => string;
  /** Returns the menu or the button at the end of a row. */
  rowActions?: (row: Row) => ReactNode;
  selection?: { selected: ReadonlySet<string>; onChange: (selected: ReadonlySet<string>) => void };
  /** Returns the tint of a row, for example of a failure. */
  rowTone?: (row: Row) => 'danger' | undefined;
  /** Shown in place of the rows when there are none. */
  empty: ReactNode;
  paging: Paging;
  pagination: Pagination | undefined;
  sorting?: Sorting;
}

function Tick({
  checked,
  label,
  onChange,
}: {
  checked: boolean | 'indeterminate';
  label: string;
  onChange: (on: boolean) => void;
}) {
  return (
    <Checkbox.Root checked={checked} onCheckedChange={(change) => onChange(change.checked === true)} display="flex">
      <Checkbox.HiddenInput aria-label={label} />
      <Checkbox.Control />
    </Checkbox.Root>
  );
}

function Footer({ paging, pagination }: Pick<Props<never>, 'paging' | 'pagination'>) {
  const { t } = useTranslation();
  const id = useId();
  const total = pagination?.totalItems ?? 0;
  const from = total === 0 ? 0 : (paging.page - 1) * paging.limit + 1;
  const to = Math.min(paging.page * paging.limit, pagination?.totalItemsCapped ? Number.POSITIVE_INFINITY : total);
  return (
    <Flex align="center" gap="3" px="5" py="2.5" borderTopWidth="1px" fontSize="sm" color="fg.muted" wrap="wrap">
      <label htmlFor={id}>{t('common.rowsPerPage')}</label>
      <NativeSelect.Root size="sm" width="4.625rem">
        <NativeSelect.Field
          id={id}
          color="fg"
          fontWeight="medium"
          value={paging.limit}
          onChange={(event) => paging.restart(Number(event.target.value))}
        >
          {paging.sizes.map((size) => (
            <option key={size} value={size}>
              {formatNumber(size)}
            </option>
          ))}
        </NativeSelect.Field>
        <NativeSelect.Indicator />
      </NativeSelect.Root>
      <Flex ms="auto" align="center" gap="3">
        <Text fontVariantNumeric="tabular-nums" aria-live="polite">
          {t(pagination?.totalItemsCapped ? 'common.rangeCapped' : 'common.range', {
            from: formatNumber(from),
            to: formatNumber(to),
            count: total,
          })}
        </Text>
        <Arrows
          hasPrev={pagination?.hasPrevPage ?? false}
          hasNext={pagination?.hasNextPage ?? false}
          onPrev={() => paging.prev(pagination)}
          onNext={() => paging.next(pagination)}
        />
      </Flex>
    </Flex>
  );
}

const waiting = (count: number) => Array.from({ length: count }, (_, index) => `waiting-${index}`);

/** The background of a row, which its fixed cell has too. */
const tinted = (color: string) => ({ bg: 'var(--tint)', css: { '--tint': color } });

/** The actions of a row stay in sight when the table is wider than the window. Their edge shows that it scrolls. */
const atTheEnd = {
  position: 'sticky',
  insetEnd: '0',
  bg: 'bg.surface',
  bgImage: 'linear-gradient(var(--tint), var(--tint))',
  borderInlineStartWidth: { md: '1px', '2xl': '0' },
  borderInlineStartColor: 'border',
} as const;

function WideRows<Row>(props: Props<Row>) {
  const { t } = useTranslation();
  const { columns, rows, rowId, rowName, rowActions, selection, rowTone, paging, caption, sorting } = props;
  /** Returns the outer padding of the first and the last column: the same as the padding of the card. */
  const inset = (at: number) => ({
    ...(at === 0 && !selection && { ps: '5' }),
    ...(at === columns.length - 1 && !rowActions && { pe: '5' }),
  });
  const ids = rows?.map(rowId) ?? [];
  const chosen = ids.filter((id) => selection?.selected.has(id)).length;
  const toggle = (list: readonly string[], on: boolean) => {
    const next = new Set(selection?.selected);
    for (const id of list) on ? next.add(id) : next.delete(id);
    selection?.onChange(next);
  };
  return (
    // A table that is wider than its card scrolls. It is focusable, so that the arrow keys can scroll it.
    <Table.ScrollArea role="region" aria-label={caption} tabIndex={0}>
      <Table.Root fontSize=".90625rem" aria-busy={!rows}>
        <Table.Caption srOnly>{caption}</Table.Caption>
        <Table.Header>
          <Table.Row {...tinted('var(--chakra-colors-bg-subtle)')}>
            {selection && (
              <Table.ColumnHeader w="44px" ps="5">
                <Tick
                  label={t('common.selectAll')}
                  checked={chosen === 0 ? false : chosen === ids.length ? true : 'indeterminate'}
                  onChange={(on) => toggle(ids, on)}
                />
              </Table.ColumnHeader>
            )}
            {columns.map((column, at) => (
              <Table.ColumnHeader
                key={column.key}
                {...inset(at)}
                textAlign={column.align ?? 'start'}
                {...(column.width && { w: column.width })}
                {...(column.sort && sorting && { 'aria-sort': ariaSortOf(column.sort, sorting.value) })}
              >
                {column.sort && sorting ? (
                  <SortButton name={column.header} sort={column.sort} sorting={sorting} />
                ) : (
                  column.header
                )}
              </Table.ColumnHeader>
            ))}
            {rowActions && (
              <Table.ColumnHeader textAlign="end" pe="5" {...atTheEnd}>
                {t('common.actions')}
              </Table.ColumnHeader>
            )}
          </Table.Row>
        </Table.Header>
        <Table.Body>
          {rows?.map((row) => {
            const id = rowId(row);
            const selected = selection?.selected.has(id) ?? false;
            return (
              <Table.Row
                key={id}
                aria-selected={selection ? selected : undefined}
                {...tinted(
                  selected
                    ? 'color-mix(in srgb, var(--chakra-colors-accent-subtle) 55%, transparent)'
                    : rowTone?.(row)
                      ? 'color-mix(in srgb, var(--chakra-colors-danger-subtle) 60%, transparent)'
                      : 'transparent',
                )}
              >
                {selection && (
                  <Table.Cell ps="5">
                    <Tick
                      label={t('common.selectRow', { name: rowName(row) })}
                      checked={selected}
                      onChange={(on) => toggle([id], on)}
                    />
                  </Table.Cell>
                )}
                {columns.map((column, at) => (
                  <Table.Cell
                    key={column.key}
                    {...inset(at)}
                    textAlign={column.align ?? 'start'}
                    fontVariantNumeric="tabular-nums"
                  >
                    {column.cell(row)}
                  </Table.Cell>
                ))}
                {rowActions && (
                  <Table.Cell textAlign="end" pe="5" {...atTheEnd}>
                    {rowActions(row)}
                  </Table.Cell>
                )}
              </Table.Row>
            );
          })}
          {!rows &&
            waiting(paging.limit).map((key) => (
              <Table.Row key={key}>
                {selection && <Table.Cell ps="5" />}
                {columns.map((column, at) => (
                  <Table.Cell key={column.key} {...inset(at)}>
                    <Skeleton variant="none" layerStyle="waiting" h="14px" w={column.lead ? '70%' : '50%'} />
                  </Table.Cell>
                ))}
                {rowActions && <Table.Cell />}
              </Table.Row>
            ))}
        </Table.Body>
      </Table.Root>
    </Table.ScrollArea>
  );
}

/** The rows as cards, below 768 px: the name first, each value with its label, the menu in the top corner. */
function Cards<Row>({ columns, rows, rowId, rowName, rowActions, selection, rowTone, caption }: Props<Row>) {
  const { t } = useTranslation();
  const lead = columns.filter((column) => column.lead);
  const rest = columns.filter((column) => !column.lead);
  return (
    <Box as="ul" aria-label={caption} listStyleType="none">
      {rows?.map((row) => {
        const id = rowId(row);
        return (
          <Box as="li" key={id} p="4" borderTopWidth="1px" bg={rowTone?.(row) ? 'danger.subtle' : 'transparent'}>
            <Flex align="center" gap="3">
              {selection && (
                <Tick
                  label={t('common.selectRow', { name: rowName(row) })}
                  checked={selection.selected.has(id)}
                  onChange={(on) => {
                    const next = new Set(selection.selected);
                    on ? next.add(id) : next.delete(id);
                    selection.onChange(next);
                  }}
                />
              )}
              <Box flex="1" minW="0">
                {lead.map((column) => (
                  <Box key={column.key}>{column.cell(row)}</Box>
                ))}
              </Box>
              {rowActions?.(row)}
            </Flex>
            <CardFacts
              gapY="2"
              facts={rest.map((column) => ({ key: column.key, label: column.header, value: column.cell(row) }))}
            />
          </Box>
        );
      })}
      {!rows &&
        waiting(3).map((key) => (
          <Box as="li" key={key} p="4" borderTopWidth="1px">
            <Skeleton variant="none" layerStyle="waiting" h="18px" w="60%" />
            <Skeleton variant="none" layerStyle="waiting" h="12px" w="80%" mt="3" />
          </Box>
        ))}
    </Box>
  );
}

/** The choice of the order above the cards, because cards have no column headers. */
function CardSorting<Row>({ columns, sorting }: Pick<Props<Row>, 'columns' | 'sorting'>) {
  const keys = columns.flatMap(({ sort, header }) => (sort ? [{ ...sort, name: header }] : []));
  if (!sorting || keys.length === 0) return null;
  return (
    <Box px="4" py="2.5" borderTopWidth="1px">
      <SortSelect keys={keys} sorting={sorting} />
    </Box>
  );
}

/** A table that the server pages. The screen draws the card around it, the title and the search. */
export function DataTable<Row>(props: Props<Row>) {
  const wide = useIsWide();
  const none = props.rows?.length === 0;
  return (
    <>
      {!wide && !none && <CardSorting {...props} />}
      {none ? <Box borderTopWidth="1px">{props.empty}</Box> : wide ? <WideRows {...props} /> : <Cards {...props} />}
      <Footer paging={props.paging} pagination={props.pagination} />
    </>
  );
}
