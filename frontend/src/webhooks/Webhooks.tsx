import '../i18n/further';
import { Box, Button, Flex, IconButton, Text } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import type { Webhook } from '@lightbox/contract/webhooks/calls.js';
import { webhookGroups } from '@lightbox/contract/webhooks/events.js';
import {
  CheckCircleIcon,
  GearSixIcon,
  MinusCircleIcon,
  PlusIcon,
  WarningIcon,
  WebhooksLogoIcon,
} from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { Badge } from '../ui/Badge';
import { LoadFailed } from '../ui/LoadFailed';
import { PlainDialog } from '../ui/PlainDialog';
import { Waiting } from '../ui/Skeletons';
import { OneWebhook } from './OneWebhook';
import { WebhookForm } from './WebhookForm';
import { WebhookSecret } from './WebhookSecret';
import { useCreate, webhookList } from './webhooks';

const looks = {
  on: { Icon: CheckCircleIcon, tone: 'success', filled: true },
  off: { Icon: MinusCircleIcon, tone: 'gray', filled: false },
  failing: { Icon: WarningIcon, tone: 'warning', filled: false },
  stopped: { Icon: WarningIcon, tone: 'danger', filled: true },
} as const;

function stateOf({ on, stoppedAt, failingSince }: Webhook): keyof typeof looks {
  if (on) return failingSince ? 'failing' : 'on';
  return stoppedAt ? 'stopped' : 'off';
}

function Row({ webhook, onOpen }: { webhook: Webhook; onOpen: () => void }) {
  const { t } = useTranslation();
  const { url, events } = webhook;
  const state = stateOf(webhook);
  const groups = webhookGroups.filter((group) => events.some((event) => event.startsWith(`${group}.`)));
  return (
    <Flex as="li" align="center" gap="3.5" py="3" borderTopWidth="1px" _first={{ borderTopWidth: '0' }}>
      <Box color="fg.muted" flex="none">
        <WebhooksLogoIcon size={24} aria-hidden />
      </Box>
      <Box flex="1" minW="0">
        <Text fontWeight="semibold" dir="ltr" textAlign="start" overflowWrap="anywhere">
          {url}
        </Text>
        <Text fontSize="sm" color="fg.muted" mb="1">
          {groups.map((group) => t(`webhooks.group.${group}`)).join(' · ')}
        </Text>
        <Badge {...looks[state]}>{t(`webhooks.is.${state}`)}</Badge>
      </Box>
      <IconButton variant="ghost" aria-label={t('webhooks.manage', { url })} onClick={onOpen}>
        <GearSixIcon aria-hidden />
      </IconButton>
    </Flex>
  );
}

/** Makes a webhook, and then shows its secret once. */
function NewWebhook({ whole, onClose }: { whole: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const create = useCreate(whole);
  return (
    <PlainDialog title={t('webhooks.create')} onClose={onClose}>
      {create.data ? (
        <WebhookSecret secret={create.data.data.secret} onDone={onClose} />
      ) : (
        <WebhookForm
          act={t('webhooks.make')}
          pending={create.isPending}
          error={create.error}
          onSubmit={(fields) => create.mutate(fields)}
        />
      )}
    </PlainDialog>
  );
}

/** The webhooks of the person, or of the installation, with buttons to make and to change them. */
export function Webhooks({ whole = false }: { whole?: boolean }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(webhookList(whole));
  const [creating, setCreating] = useState(false);
  const [shown, setShown] = useState<string>();
  const webhooks = data?.data;
  if (error && !webhooks) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (!webhooks) return <Waiting h="44px" w="60%" />;
  const open = webhooks.find(({ id }) => id === shown);
  return (
    <>
      <Text fontSize="sm" color="fg.muted" mb="3">
        {t(whole ? 'webhooks.textWhole' : 'webhooks.text')}
      </Text>
      {webhooks.length > 0 && (
        <Box as="ul" listStyleType="none" mb="3" aria-label={t('webhooks.title')}>
          {webhooks.map((webhook) => (
            <Row key={webhook.id} webhook={webhook} onOpen={() => setShown(webhook.id)} />
          ))}
        </Box>
      )}
      {webhooks.length < limits.webhooks && (
        <Button variant="outline" onClick={() => setCreating(true)}>
          <PlusIcon aria-hidden />
          {t('webhooks.create')}
        </Button>
      )}
      {creating && <NewWebhook whole={whole} onClose={() => setCreating(false)} />}
      {open && <OneWebhook webhook={open} onClose={() => setShown(undefined)} />}
    </>
  );
}
