import '../i18n/further';
import { Box, Button, Flex, IconButton, Text } from '@chakra-ui/react';
import type { DicomNode } from '@lightbox/contract/receiver/calls.js';
import { DesktopTowerIcon, PencilSimpleIcon, PlusIcon, TrashIcon, WarningIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatDateTime, fullName } from '../lib/format';
import { toast } from '../lib/toaster';
import { Badge } from '../ui/Badge';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { LoadFailed } from '../ui/LoadFailed';
import { PlainDialog } from '../ui/PlainDialog';
import { Waiting } from '../ui/Skeletons';
import { nodeList, useRemove } from './dicomNodes';
import { NodeForm } from './NodeForm';

function Row({ node, onChange, onRemove }: { node: DicomNode; onChange: () => void; onRemove: () => void }) {
  const { t } = useTranslation();
  const { title, addresses, user, accepted, lastSeenAt } = node;
  return (
    <Flex as="li" align="center" gap="3.5" py="3" borderTopWidth="1px" _first={{ borderTopWidth: '0' }}>
      <Box color="fg.muted" flex="none">
        <DesktopTowerIcon size={24} aria-hidden />
      </Box>
      <Box flex="1" minW="0">
        <Text fontWeight="semibold" fontFamily="mono" dir="ltr" textAlign="start" overflowWrap="anywhere">
          {title}
        </Text>
        <Text fontSize="sm">{t('receiver.to', { name: fullName(user) })}</Text>
        <Text fontSize="sm" color="fg.muted" overflowWrap="anywhere">
          {addresses.length > 0 ? t('receiver.from', { addresses: addresses.join(', ') }) : t('receiver.anywhere')}
          {' · '}
          {lastSeenAt ? t('receiver.seen', { time: formatDateTime(lastSeenAt) }) : t('receiver.never')}
        </Text>
        {!accepted && (
          <Badge Icon={WarningIcon} tone="warning">
            {t('receiver.refused')}
          </Badge>
        )}
      </Box>
      <IconButton variant="ghost" aria-label={t('receiver.change', { title })} onClick={onChange}>
        <PencilSimpleIcon aria-hidden />
      </IconButton>
      <IconButton variant="ghost" aria-label={t('receiver.remove', { title })} onClick={onRemove}>
        <TrashIcon aria-hidden />
      </IconButton>
    </Flex>
  );
}

function Removing({ node, onClose }: { node: DicomNode; onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useRemove();
  const done = () => {
    toast.success(t('receiver.removed'));
    onClose();
  };
  return (
    <ConfirmDialog
      open
      Icon={TrashIcon}
      title={t('receiver.removeTitle')}
      act={t('receiver.removeAct')}
      pending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(node.id, { onSuccess: done })}
    >
      {t('receiver.removeText')}
    </ConfirmDialog>
  );
}

type Asking = { add: true } | { change: DicomNode } | { remove: DicomNode };

/** The devices that may send files by DICOM, with buttons to add, change and remove them. */
export function DicomNodes() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(nodeList());
  const [asking, setAsking] = useState<Asking>();
  const back = () => setAsking(undefined);
  const nodes = data?.data;
  if (error && !nodes) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (!nodes) return <Waiting h="44px" w="60%" />;
  return (
    <>
      <Text fontSize="sm" color="fg.muted" mb="3">
        {t('receiver.text')}
      </Text>
      {nodes.length > 0 ? (
        <Box as="ul" listStyleType="none" mb="3" aria-label={t('receiver.title')}>
          {nodes.map((node) => (
            <Row
              key={node.id}
              node={node}
              onChange={() => setAsking({ change: node })}
              onRemove={() => setAsking({ remove: node })}
            />
          ))}
        </Box>
      ) : (
        <Text fontSize="sm" mb="3">
          {t('receiver.none')}
        </Text>
      )}
      <Button variant="outline" onClick={() => setAsking({ add: true })}>
        <PlusIcon aria-hidden />
        {t('receiver.add')}
      </Button>
      {asking && 'add' in asking && (
        <PlainDialog title={t('receiver.add')} onClose={back}>
          <NodeForm act={t('receiver.add')} onSaved={back} />
        </PlainDialog>
      )}
      {asking && 'change' in asking && (
        <PlainDialog title={t('receiver.change', { title: asking.change.title })} onClose={back}>
          <NodeForm node={asking.change} act={t('common.save')} onSaved={back} />
        </PlainDialog>
      )}
      {asking && 'remove' in asking && <Removing node={asking.remove} onClose={back} />}
    </>
  );
}
