import { Box, Flex, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { MismatchNote } from './MismatchNote';
import { TrayItem } from './TrayItem';
import { type Group, type Item, needsPerson } from './tray';

/** More rows would slow the page down. */
const rowsShown = 24;
/** Small groups show every file, large ones only those that move or need the person. */
const smallGroup = 4;

const order: Record<Item['state'], number> = {
  failed: 0,
  known: 1,
  held: 2,
  storing: 3,
  sending: 4,
  checking: 5,
  waiting: 6,
  done: 7,
};

/** Returns the rows in the order of their importance. Files of a decision are shown by the decision itself. */
function rowsOf(items: Item[]): Item[] {
  const small = items.length <= smallGroup;
  return items
    .filter((item) => item.state !== 'held' && (small || !['waiting', 'done'].includes(item.state)))
    .sort((a, b) => (small ? 0 : order[a.state] - order[b.state]))
    .slice(0, rowsShown);
}

interface Props {
  group: Group;
  items: Item[];
}

/** The files of one study, or of one choice. */
export function TrayGroup({ group, items }: Props) {
  const { t } = useTranslation();
  const done = items.filter(({ state }) => state === 'done').length;
  const rows = rowsOf(items);
  const hidden = items.filter((item) => needsPerson(item) && item.state !== 'held' && !rows.includes(item)).length;
  const waiting = items.filter((item) => item.state === 'waiting' && !rows.includes(item)).length;
  return (
    <Box as="section" aria-label={group.title}>
      <Flex gap="3" align="baseline" mb="1.5">
        <Text fontWeight="semibold" fontSize="sm" flex="1" minW="0" overflowWrap="anywhere">
          <bdi>{group.title}</bdi>
        </Text>
        <Text fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums" whiteSpace="nowrap">
          {t('uploads.tray.ofGroup', { done, total: items.length })}
        </Text>
      </Flex>
      {group.mismatch && (
        <Box mb="2">
          <MismatchNote groupId={group.id} />
        </Box>
      )}
      <Flex as="ul" direction="column" listStyleType="none">
        {rows.map((item) => (
          <TrayItem key={item.id} item={item} />
        ))}
      </Flex>
      {hidden > 0 && (
        <Text fontSize="xs" color="fg.muted" mt="1">
          {t('uploads.omitted.more', { count: hidden })}
        </Text>
      )}
      {waiting > 0 && (
        <Text fontSize="xs" color="fg.muted" mt="1">
          {t('uploads.tray.waitingMore', { count: waiting })}
        </Text>
      )}
    </Box>
  );
}
