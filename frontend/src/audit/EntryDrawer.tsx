import { Box, Button, Drawer, Flex } from '@chakra-ui/react';
import type { AuditEntry } from '@lightbox/contract/audit/calls.js';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { formatMoment, formatNumber } from '../lib/format';
import { paths } from '../lib/paths';
import { type Fact, Facts } from '../ui/Facts';
import { SidePanel } from '../ui/SidePanel';
import { ActionMark } from './ActionMark';
import { reasonText } from './reason';
import { Mono, Who } from './Who';

/** Shows all fields of one entry, with its ids and its hash. */
export function EntryDrawer({ entry, onClose }: { entry: AuditEntry | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  // Keep the last entry while the drawer closes.
  const last = useRef(entry);
  if (entry) last.current = entry;
  const shown = last.current;
  if (!shown) return null;
  const mono = (label: string, value: string | undefined): Fact[] =>
    value ? [{ label, value: <Mono>{value}</Mono> }] : [];
  const facts: Fact[] = [
    { label: t('audit.timestamp'), value: <time dateTime={shown.createAt}>{formatMoment(shown.createAt)}</time> },
    { label: t('audit.entry'), value: formatNumber(shown.seq) },
    { label: t('audit.statusColumn'), value: t(`audit.status.${shown.status}`) },
    { label: t('audit.reason'), value: shown.reason ? reasonText(shown.reason) : t('audit.none') },
    ...mono(t('audit.code'), shown.actiontype),
    ...mono(t('audit.table'), shown.tablename),
    ...mono(t('audit.record'), shown.recordId),
    ...(shown.object && shown.recordId
      ? [
          {
            label: t('audit.object'),
            value: (
              <Flex gap="2" wrap="wrap" align="center">
                <bdi>{shown.object.name}</bdi>
                <Button asChild size="xs" variant="subtle">
                  <Link to={`${paths.auditLogs}?record=${shown.recordId}`} onClick={onClose}>
                    {t('audit.allAbout')}
                  </Link>
                </Button>
              </Flex>
            ),
          },
        ]
      : []),
    ...mono(t('audit.records', { count: shown.recordIds?.length ?? 0 }), shown.recordIds?.join(' ')),
    ...mono(t('audit.ip'), shown.ipaddress),
    ...mono(t('audit.userId'), shown.user?.id),
    ...mono(t('audit.tokenId'), shown.tokenId),
    ...mono(t('audit.nodeId'), shown.nodeId),
    ...mono(t('audit.seal'), shown.hash),
  ];
  return (
    <SidePanel
      open={entry !== undefined}
      onClose={onClose}
      title={t('audit.entryTitle')}
      head={{ align: 'center' }}
      maxW={{ base: '100vw', sm: '440px' }}
    >
      {/* Focusable, so that the keyboard can scroll it: it contains nothing else to focus. */}
      <Drawer.Body px="5" pb="6" tabIndex={0}>
        <ActionMark entry={shown} />
        <Box my="5">
          <Who entry={shown} />
        </Box>
        <Facts facts={facts} columns="1fr" />
      </Drawer.Body>
    </SidePanel>
  );
}
