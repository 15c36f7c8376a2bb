import { Box, Button, Flex, IconButton, Text } from '@chakra-ui/react';
import { type PersonalToken, viewerScope } from '@lightbox/contract/auth/personalTokens.js';
import { limits } from '@lightbox/contract/limits.js';
import { PlugsIcon, PlusIcon, TrashIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatDate, formatDateTime } from '../lib/format';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { LoadFailed } from '../ui/LoadFailed';
import { PlainDialog } from '../ui/PlainDialog';
import { Waiting } from '../ui/Skeletons';
import { NewToken } from './NewToken';
import { tokenList, useRevokeToken } from './security';

function RevokeDialog({ token, onClose }: { token: PersonalToken; onClose: () => void }) {
  const { t } = useTranslation();
  const revoke = useRevokeToken();
  const onSuccess = () => {
    toast.success(t('security.tokens.revoked', { name: token.name }));
    onClose();
  };
  return (
    <ConfirmDialog
      open
      Icon={TrashIcon}
      title={t('security.tokens.revokeTitle', { name: token.name })}
      act={t('security.tokens.revoke')}
      pending={revoke.isPending}
      onClose={onClose}
      onConfirm={() => revoke.mutate(token.id, { onSuccess })}
    >
      {t('security.tokens.revokeText')}
    </ConfirmDialog>
  );
}

function Row({ token, onRevoke }: { token: PersonalToken; onRevoke: () => void }) {
  const { t } = useTranslation();
  const { name, scopes, expiresAt, lastUsedAt } = token;
  return (
    <Flex as="li" align="center" gap="3.5" py="3" borderTopWidth="1px" _first={{ borderTopWidth: '0' }}>
      <Box color="fg.muted" flex="none">
        <PlugsIcon size={24} aria-hidden />
      </Box>
      <Box flex="1" minW="0">
        <Text fontWeight="semibold" overflowWrap="anywhere">
          {name}
        </Text>
        <Text fontSize="sm" color="fg.muted">
          {scopes.map((scope) => t(`security.tokens.scope.${scope}`)).join(' · ')}
        </Text>
        <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
          {t('security.tokens.until', {
            date: scopes.includes(viewerScope) ? formatDateTime(expiresAt) : formatDate(expiresAt),
          })}{' '}
          · {lastUsedAt ? t('security.tokens.used', { time: formatDateTime(lastUsedAt) }) : t('security.tokens.unused')}
        </Text>
      </Box>
      <IconButton
        variant="ghost"
        colorPalette="danger"
        aria-label={t('security.tokens.revokeName', { name })}
        onClick={onRevoke}
      >
        <TrashIcon aria-hidden />
      </IconButton>
    </Flex>
  );
}

/** Lists the person's tokens for programs, with buttons to create and to end them. */
export function Tokens() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(tokenList);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<PersonalToken>();
  const tokens = data?.data;
  if (error && !tokens) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (!tokens) return <Waiting h="44px" w="60%" />;
  return (
    <>
      <Text fontSize="sm" color="fg.muted" mb="3">
        {t('security.tokens.text')}
      </Text>
      {tokens.length > 0 && (
        <Box as="ul" listStyleType="none" mb="3" aria-label={t('security.tokens.title')}>
          {tokens.map((token) => (
            <Row key={token.id} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </Box>
      )}
      {tokens.filter(({ scopes }) => !scopes.includes(viewerScope)).length < limits.tokens && (
        <Button variant="outline" onClick={() => setCreating(true)}>
          <PlusIcon aria-hidden />
          {t('security.tokens.create')}
        </Button>
      )}
      {creating && (
        <PlainDialog title={t('security.tokens.create')} onClose={() => setCreating(false)}>
          <NewToken onDone={() => setCreating(false)} />
        </PlainDialog>
      )}
      {revoking && <RevokeDialog token={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}
