import { Table } from '@chakra-ui/react';
import { formatNumber } from '../lib/format';

interface Row {
  name: string;
  values: readonly number[];
  /** The index of a number that needs attention. */
  alarm?: number | undefined;
}

interface Props {
  /** Describes the table for a screen reader. */
  label: string;
  /** The header of the column of names. */
  head: string;
  columns: readonly string[];
  rows: readonly Row[];
}

/** With this padding, five columns fit on a phone. */
const narrow = { base: '1', sm: '3' };

/** A table of names and numbers. A table wider than the screen scrolls, with the keyboard too. */
export function NumberTable({ label, head, columns, rows }: Props) {
  return (
    <Table.ScrollArea role="region" aria-label={label} tabIndex={0}>
      <Table.Root size="sm" aria-label={label}>
        <Table.Header>
          <Table.Row>
            <Table.ColumnHeader ps="0" pe="1">
              {head}
            </Table.ColumnHeader>
            {columns.map((column) => (
              <Table.ColumnHeader key={column} textAlign="end" px={narrow}>
                {column}
              </Table.ColumnHeader>
            ))}
          </Table.Row>
        </Table.Header>
        <Table.Body fontVariantNumeric="tabular-nums">
          {rows.map(({ name, values, alarm }) => (
            <Table.Row key={name}>
              <Table.ColumnHeader
                scope="row"
                ps="0"
                pe="1"
                fontWeight="normal"
                fontSize="sm"
                color="fg"
                borderTopWidth="1px"
                whiteSpace="normal"
                overflowWrap="anywhere"
              >
                {name}
              </Table.ColumnHeader>
              {columns.map((column, i) => (
                <Table.Cell
                  key={column}
                  textAlign="end"
                  px={narrow}
                  {...(i === alarm && { color: 'danger.fg', fontWeight: 'semibold' })}
                >
                  {formatNumber(values[i] ?? 0)}
                </Table.Cell>
              ))}
            </Table.Row>
          ))}
        </Table.Body>
      </Table.Root>
    </Table.ScrollArea>
  );
}
