import { Box, Button, Flex, IconButton, Stack, Text } from '@chakra-ui/react';
import { type ScimToken, scimCalls } from '@lightbox/contract/scim/calls.js';
import type { SignOnProvider } from '@lightbox/contract/signOn/calls.js';
import { signOnCalls } from '@lightbox/contract/signOn/calls.js';
import { PlusIcon, TrashIcon } from '@phosphor-icons/react';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate, formatDateTime } from '../lib/format';
import { send } from '../lib/http';
import { reread } from '../lib/live';
import { toast } from '../lib/toaster';
import { Card } from '../ui/Card';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { PlainDialog } from '../ui/PlainDialog';
import { SecretOnce } from '../ui/SecretOnce';

const providerList = queryOptions({
  queryKey: ['settings', 'signOn'],
  queryFn: ({ signal }) => send(signOnCalls.listSignOn, {}, { signal }),
});
const tokenList = queryOptions({
  queryKey: ['settings', 'scim'],
  queryFn: ({ signal }) => send(scimCalls.listScimTokens, {}, { signal }),
});

function NewToken({ provider, onClose }: { provider: SignOnProvider; onClose: () => void }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const create = useMutation({
    mutationFn: () => send(scimCalls.createScimToken, { body: { name: provider.name, provider: provider.id } }),
    onSuccess: () => reread(cache, tokenList.queryKey),
    // The token leaves the memory with the dialog.
    gcTime: 0,
  });
  const made = create.data?.data;
  const texts = {
    title: t('settings.scim.once'),
    text: t('settings.scim.onceText'),
    label: t('settings.scim.token'),
    act: t('settings.scim.copy'),
    done: t('settings.scim.done'),
  };
  return (
    <PlainDialog title={t('settings.scim.newTitle', { name: provider.name })} onClose={onClose}>
      {made ? (
        <SecretOnce texts={texts} secret={made.token} onDone={onClose} />
      ) : (
        <Stack gap="4">
          <Text>{t('settings.scim.newText')}</Text>
          <Button loading={create.isPending} onClick={() => create.mutate()}>
            {t('settings.scim.create')}
          </Button>
        </Stack>
      )}
    </PlainDialog>
  );
}

function RevokeDialog({ token, onClose }: { token: ScimToken; onClose: () => void }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => send(scimCalls.revokeScimToken, { params: { id: token.id } }),
    onSuccess: async () => {
      await reread(cache, tokenList.queryKey);
      toast.success(t('settings.scim.ended'));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      Icon={TrashIcon}
      title={t('settings.scim.endTitle', { name: token.name })}
      act={t('settings.scim.end')}
      pending={revoke.isPending}
      onClose={onClose}
      onConfirm={() => revoke.mutate()}
    >
      {t('settings.scim.endText')}
    </ConfirmDialog>
  );
}

/** The providers of single sign-on, which the server's configuration names, and the tokens of SCIM. */
export function ScimTokens() {
  const { t } = useTranslation();
  const providers = useQuery(providerList).data?.data.providers ?? [];
  const tokens = useQuery(tokenList).data?.data ?? [];
  const [asked, setAsked] = useState<SignOnProvider>();
  const [ending, setEnding] = useState<ScimToken>();
  return (
    <Card title={t('settings.scim.title')}>
      <Text fontSize="sm" color="fg.muted" mb="3">
        {t(providers.length > 0 ? 'settings.scim.text' : 'settings.scim.none')}
      </Text>
      {tokens.length > 0 && (
        <Box as="ul" listStyleType="none" mb="3" aria-label={t('settings.scim.title')}>
          {tokens.map((token) => (
            <Flex as="li" key={token.id} align="center" gap="3.5" py="3">
              <Box flex="1" minW="0">
                <Text fontWeight="semibold" overflowWrap="anywhere">
                  {token.name}
                </Text>
                <Text fontSize="sm" color="fg.muted">
                  {t('settings.scim.since', { date: formatDate(token.createAt) })} ·{' '}
                  {token.usedAt
                    ? t('settings.scim.used', { time: formatDateTime(token.usedAt) })
                    : t('settings.scim.unused')}
                </Text>
              </Box>
              <IconButton
                variant="ghost"
                colorPalette="danger"
                aria-label={t('settings.scim.endName', { name: token.name })}
                onClick={() => setEnding(token)}
              >
                <TrashIcon aria-hidden />
              </IconButton>
            </Flex>
          ))}
        </Box>
      )}
      <Flex gap="2.5" wrap="wrap">
        {providers.map((provider) => (
          <Button key={provider.id} variant="outline" onClick={() => setAsked(provider)}>
            <PlusIcon aria-hidden />
            {t('settings.scim.new', { name: provider.name })}
          </Button>
        ))}
      </Flex>
      {asked && <NewToken provider={asked} onClose={() => setAsked(undefined)} />}
      {ending && <RevokeDialog token={ending} onClose={() => setEnding(undefined)} />}
    </Card>
  );
}
