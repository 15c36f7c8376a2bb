import { Box, Button, Flex, IconButton, Text } from '@chakra-ui/react';
import type { Passkey } from '@lightbox/contract/auth/passkeys.js';
import { limits } from '@lightbox/contract/limits.js';
import { FingerprintIcon, KeyIcon, PencilSimpleIcon, PlusIcon, TrashIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { passkeysPossible } from '../auth/passkey';
import { errorText } from '../lib/errors';
import { formatDate } from '../lib/format';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { LoadFailed } from '../ui/LoadFailed';
import { PlainDialog } from '../ui/PlainDialog';
import { Waiting } from '../ui/Skeletons';
import { AddPasskey, NameForm } from './AddPasskey';
import { RenewDialog } from './RenewDialog';
import { passkeyList, totpState, useRemovePasskey, useRenamePasskey } from './security';

function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <PlainDialog title={t('security.passkeys.add')} onClose={onClose}>
      <AddPasskey
        onDone={() => {
          toast.success(t('security.passkeys.added'));
          onClose();
        }}
      />
    </PlainDialog>
  );
}

function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation();
  const rename = useRenamePasskey();
  return (
    <PlainDialog title={t('security.passkeys.rename')} onClose={onClose}>
      <NameForm
        name={passkey.name}
        act={t('common.save')}
        pending={rename.isPending}
        onName={(name) => rename.mutate({ id: passkey.id, name }, { onSuccess: onClose })}
      />
    </PlainDialog>
  );
}

function RemoveDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useRemovePasskey();
  const onSuccess = () => {
    toast.success(t('security.passkeys.removed'));
    onClose();
  };
  return (
    <ConfirmDialog
      open
      Icon={TrashIcon}
      title={t('security.passkeys.removeTitle', { name: passkey.name })}
      act={t('security.passkeys.remove')}
      pending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(passkey.id, { onSuccess })}
    >
      {t('security.passkeys.removeText')}
    </ConfirmDialog>
  );
}

type Asked = { act: 'rename' | 'remove'; passkey: Passkey };

function Row({ passkey, onAsk }: { passkey: Passkey; onAsk: (asked: Asked) => void }) {
  const { t } = useTranslation();
  const { name, createAt, usedAt } = passkey;
  return (
    <Flex as="li" align="center" gap="3.5" py="3" borderTopWidth="1px" _first={{ borderTopWidth: '0' }}>
      <Box color="fg.muted" flex="none">
        <FingerprintIcon size={24} aria-hidden />
      </Box>
      <Box flex="1" minW="0">
        <Text fontWeight="semibold" overflowWrap="anywhere">
          {name}
        </Text>
        <Text fontSize="sm" color="fg.muted">
          {t('security.passkeys.since', { date: formatDate(createAt) })} ·{' '}
          {usedAt ? t('security.passkeys.used', { date: formatDate(usedAt) }) : t('security.passkeys.unused')}
        </Text>
      </Box>
      <IconButton
        variant="ghost"
        aria-label={t('security.passkeys.renameName', { name })}
        onClick={() => onAsk({ act: 'rename', passkey })}
      >
        <PencilSimpleIcon aria-hidden />
      </IconButton>
      <IconButton
        variant="ghost"
        colorPalette="danger"
        aria-label={t('security.passkeys.removeName', { name })}
        onClick={() => onAsk({ act: 'remove', passkey })}
      >
        <TrashIcon aria-hidden />
      </IconButton>
    </Flex>
  );
}

/**
 * Lists the person's passkeys. Without an authenticator app, whose card shows the recovery codes, it shows them too.
 */
export function Passkeys() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(passkeyList);
  const app = useQuery(totpState).data?.data;
  const [asked, setAsked] = useState<Asked | { act: 'add' | 'renew' }>();
  const close = () => setAsked(undefined);
  const passkeys = data?.data;
  if (error && !passkeys) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (!passkeys) return <Waiting h="44px" w="60%" />;
  const possible = passkeysPossible();
  const ownCodes = passkeys.length > 0 && app && !app.on;
  return (
    <>
      <Text fontSize="sm" color="fg.muted" mb="3">
        {t(possible ? 'security.passkeys.text' : 'security.passkeys.notHere')}
      </Text>
      {passkeys.length > 0 && (
        <Box as="ul" listStyleType="none" mb="3" aria-label={t('security.passkeys.title')}>
          {passkeys.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} onAsk={setAsked} />
          ))}
        </Box>
      )}
      {ownCodes && (
        <Text fontSize="sm" color="fg.muted" mb="3">
          {t('security.app.left', { count: app.recoveryCodesLeft })}
        </Text>
      )}
      <Flex gap="2.5" wrap="wrap">
        {possible && passkeys.length < limits.passkeys && (
          <Button variant="outline" onClick={() => setAsked({ act: 'add' })}>
            <PlusIcon aria-hidden />
            {t('security.passkeys.add')}
          </Button>
        )}
        {ownCodes && (
          <Button variant="outline" onClick={() => setAsked({ act: 'renew' })}>
            <KeyIcon aria-hidden />
            {t('security.recovery.renew')}
          </Button>
        )}
      </Flex>
      {asked?.act === 'add' && <AddDialog onClose={close} />}
      {asked?.act === 'renew' && <RenewDialog onClose={close} />}
      {asked?.act === 'rename' && <RenameDialog passkey={asked.passkey} onClose={close} />}
      {asked?.act === 'remove' && <RemoveDialog passkey={asked.passkey} onClose={close} />}
    </>
  );
}
