import { Box, Flex, type FlexProps, Table, Text } from '@chakra-ui/react';
import type { Setting } from '@lightbox/contract/settings/calls.js';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CardFacts } from '../ui/Facts';

interface Parts {
  name: ReactNode;
  value: ReactNode;
  description: ReactNode;
  created: ReactNode;
  updated: ReactNode;
  actions: ReactNode;
  editing: boolean;
}

const lampEdge = {
  bg: 'color-mix(in srgb, var(--chakra-colors-warning-subtle) 55%, transparent)',
  boxShadow: 'inset 3px 0 0 var(--chakra-colors-lamp)',
  _rtl: { boxShadow: 'inset -3px 0 0 var(--chakra-colors-lamp)' },
} as const;

/** A date wraps onto two lines in a narrow row. */
const date = {
  minW: '92px',
  whiteSpace: { base: 'normal', '2xl': 'nowrap' },
  color: 'fg.muted',
  fontVariantNumeric: 'tabular-nums',
} as const;

/** Lays out the parts of a setting as a row of the table, or as a card below 1280 px. */
export function Layout({ wide, parts }: { wide: boolean; parts: Parts }) {
  const { t } = useTranslation();
  const { name, value, description, created, updated, actions, editing } = parts;
  const tall = { py: editing ? '3.5' : '2.5' };
  if (wide)
    return (
      <Table.Row bg="transparent" verticalAlign={editing ? 'top' : 'middle'} {...(editing && lampEdge)}>
        <Table.Cell {...tall} ps="5" minW="176px">
          {name}
        </Table.Cell>
        <Table.Cell {...tall} minW="116px" maxW="280px">
          {value}
        </Table.Cell>
        <Table.Cell {...tall} minW="104px">
          {description}
        </Table.Cell>
        <Table.Cell {...tall} {...date}>
          {created}
        </Table.Cell>
        <Table.Cell {...tall} {...date}>
          {updated}
        </Table.Cell>
        <Table.Cell {...tall} pe="5" whiteSpace="nowrap">
          {actions}
        </Table.Cell>
      </Table.Row>
    );
  return (
    <Box as="li" p="4" borderTopWidth="1px" {...(editing && lampEdge)}>
      {name}
      <CardFacts
        gapY="2.5"
        facts={[
          { key: 'value', label: t('settings.value'), value },
          { key: 'description', label: t('settings.description'), value: description },
          { key: 'created', label: t('settings.created'), value: created },
          { key: 'updated', label: t('settings.updated'), value: updated },
        ]}
      />
      <Box mt="3">{actions}</Box>
    </Box>
  );
}

/**
 * The buttons of a setting, or with `asChild` the form that holds them. In a table with room for them they stand in one line,
 * and the description gives way. Large text leaves no room: the width is in rem.
 */
export const Actions = ({ asChild, gap = '1', children }: Pick<FlexProps, 'asChild' | 'gap' | 'children'>) => (
  <Flex
    asChild={asChild ?? false}
    justify="flex-end"
    gap={gap}
    wrap="wrap"
    css={{ '@container (min-width: 54rem)': { flexWrap: 'nowrap' } }}
  >
    {children}
  </Flex>
);

export function Name({ setting }: { setting: Setting }) {
  const { t } = useTranslation();
  return (
    <>
      <Text
        as="span"
        display="block"
        fontFamily="mono"
        fontSize="sm"
        fontWeight="bold"
        dir="ltr"
        overflowWrap="break-word"
      >
        {setting.name}
      </Text>
      <Text as="span" fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums">
        {t('settings.isNote')}
      </Text>
    </>
  );
}
