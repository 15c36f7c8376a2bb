import { Box, Button, Flex, IconButton, Text } from '@chakra-ui/react';
import type { Identity } from '@lightbox/contract/signOn/calls.js';
import { signOnCalls } from '@lightbox/contract/signOn/calls.js';
import { BuildingsIcon, LinkIcon, TrashIcon } from '@phosphor-icons/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { goToProvider, hereAgain } from '../auth/signOn';
import { errorText } from '../lib/errors';
import { formatDate } from '../lib/format';
import { send } from '../lib/http';
import { reread } from '../lib/live';
import { toast } from '../lib/toaster';
import { Card } from '../ui/Card';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { LoadFailed } from '../ui/LoadFailed';
import { identityList, signOnProviders } from './security';

function UnlinkDialog({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const unlink = useMutation({
    mutationFn: () => send(signOnCalls.unlink, { params: { id: identity.id } }),
    onSuccess: async () => {
      await reread(cache, ['security']);
      toast.success(t('security.signOn.unlinked'));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      Icon={TrashIcon}
      title={t('security.signOn.unlinkTitle', { name: identity.name })}
      act={t('security.signOn.unlink')}
      pending={unlink.isPending}
      onClose={onClose}
      onConfirm={() => unlink.mutate()}
    >
      {t('security.signOn.unlinkText')}
    </ConfirmDialog>
  );
}

/** The accounts at providers with which the person signs in. Renders nothing in installations without a provider. */
export function Identities({ title }: { title: React.ReactNode }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(identityList);
  const providers = useQuery(signOnProviders).data?.data.providers ?? [];
  const [leaving, setLeaving] = useState<Identity>();
  const link = useMutation({
    mutationFn: (provider: string) =>
      send(signOnCalls.beginLink, { params: { provider }, body: { returnTo: hereAgain() } }),
    onSuccess: ({ data: { url } }) => goToProvider(url, 'link'),
  });
  const identities = data?.data ?? [];
  if (providers.length === 0 && identities.length === 0) return null;
  const free = providers.filter(({ id }) => !identities.some(({ provider }) => provider === id));
  return (
    <Card title={title}>
      {error && !data && <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />}
      <Text fontSize="sm" color="fg.muted" mb="3">
        {t('security.signOn.text')}
      </Text>
      {identities.length > 0 && (
        <Box as="ul" listStyleType="none" mb="3" aria-label={t('security.signOn.title')}>
          {identities.map((identity) => (
            <Flex as="li" key={identity.id} align="center" gap="3.5" py="3">
              <Box color="fg.muted" flex="none">
                <BuildingsIcon size={24} aria-hidden />
              </Box>
              <Box flex="1" minW="0">
                <Text fontWeight="semibold" overflowWrap="anywhere">
                  {identity.name}
                </Text>
                <Text fontSize="sm" color="fg.muted">
                  {t('security.signOn.since', { date: formatDate(identity.createAt) })}
                </Text>
              </Box>
              <IconButton
                variant="ghost"
                colorPalette="danger"
                aria-label={t('security.signOn.unlinkName', { name: identity.name })}
                onClick={() => setLeaving(identity)}
              >
                <TrashIcon aria-hidden />
              </IconButton>
            </Flex>
          ))}
        </Box>
      )}
      <Flex gap="2.5" wrap="wrap">
        {free.map(({ id, name }) => (
          <Button key={id} variant="outline" loading={link.isPending} onClick={() => link.mutate(id)}>
            <LinkIcon aria-hidden />
            {t('security.signOn.link', { name })}
          </Button>
        ))}
      </Flex>
      {leaving && <UnlinkDialog identity={leaving} onClose={() => setLeaving(undefined)} />}
    </Card>
  );
}
