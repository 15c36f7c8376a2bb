import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import type { Webhook } from '@lightbox/contract/webhooks/calls.js';
import {
  KeyIcon,
  PaperPlaneTiltIcon,
  PauseIcon,
  PencilSimpleIcon,
  PlayIcon,
  TrashIcon,
  WarningIcon,
} from '@phosphor-icons/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../lib/format';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { Note } from '../ui/Note';
import { PlainDialog } from '../ui/PlainDialog';
import { Deliveries } from './Deliveries';
import { WebhookForm } from './WebhookForm';
import { WebhookSecret } from './WebhookSecret';
import { useEdit, useRemove, useRotate, useSwitch, useTest } from './webhooks';

interface Props {
  webhook: Webhook;
  onClose: () => void;
}

/** Says that nothing arrives at the address, or that the product turned the webhook off. */
function Trouble({ webhook: { on, failingSince, stoppedAt } }: Pick<Props, 'webhook'>) {
  const { t } = useTranslation();
  if (!on && stoppedAt) {
    return (
      <Note Icon={WarningIcon} tone="danger" title={t('webhooks.stopped', { time: formatDateTime(stoppedAt) })}>
        {t('webhooks.stoppedText')}
      </Note>
    );
  }
  if (!on || !failingSince) return null;
  return (
    <Note Icon={WarningIcon} tone="warning" title={t('webhooks.failing', { time: formatDateTime(failingSince) })}>
      {t('webhooks.failingText', { count: limits.webhookFailingDays })}
    </Note>
  );
}

/** Everything about one webhook: its deliveries, and the buttons that change it. */
export function OneWebhook({ webhook, onClose }: Props) {
  const { t } = useTranslation();
  const { id, url, events, on } = webhook;
  const [asking, setAsking] = useState<'change' | 'rotate' | 'remove'>();
  const [edit, toggle, rotate, remove, test] = [useEdit(id), useSwitch(id), useRotate(id), useRemove(id), useTest(id)];
  const back = () => setAsking(undefined);
  if (rotate.data) {
    return (
      <PlainDialog title={t('webhooks.rotate')} onClose={onClose}>
        <WebhookSecret secret={rotate.data.data.secret} onDone={onClose} />
      </PlainDialog>
    );
  }
  if (asking === 'change') {
    return (
      <PlainDialog title={t('webhooks.change')} onClose={back}>
        <WebhookForm
          initial={{ url, events }}
          act={t('common.save')}
          pending={edit.isPending}
          error={edit.error}
          onSubmit={(fields) => edit.mutate(fields, { onSuccess: back })}
        />
      </PlainDialog>
    );
  }
  return (
    <PlainDialog title={t('webhooks.one')} onClose={onClose}>
      <Text fontFamily="mono" fontSize="sm" dir="ltr" textAlign="start" overflowWrap="anywhere" mb="4">
        {url}
      </Text>
      <Trouble webhook={webhook} />
      <Flex gap="2" wrap="wrap" my="4">
        <Button
          size="sm"
          variant="outline"
          disabled={!on}
          loading={test.isPending}
          loadingText={t('webhooks.test')}
          onClick={() => test.mutate(undefined, { onSuccess: () => toast.success(t('webhooks.tested')) })}
        >
          <PaperPlaneTiltIcon aria-hidden />
          {t('webhooks.test')}
        </Button>
        <Button size="sm" variant="outline" onClick={() => setAsking('change')}>
          <PencilSimpleIcon aria-hidden />
          {t('webhooks.change')}
        </Button>
        <Button
          size="sm"
          variant="outline"
          loading={toggle.isPending}
          loadingText={t(on ? 'webhooks.turnOff' : 'webhooks.turnOn')}
          onClick={() => toggle.mutate(!on)}
        >
          {on ? <PauseIcon aria-hidden /> : <PlayIcon aria-hidden />}
          {t(on ? 'webhooks.turnOff' : 'webhooks.turnOn')}
        </Button>
        <Button size="sm" variant="outline" onClick={() => setAsking('rotate')}>
          <KeyIcon aria-hidden />
          {t('webhooks.rotate')}
        </Button>
        <Button size="sm" variant="outline" colorPalette="danger" onClick={() => setAsking('remove')}>
          <TrashIcon aria-hidden />
          {t('webhooks.remove')}
        </Button>
      </Flex>
      <Box>
        <Heading as="h3" textStyle="section" fontSize="md" mb="2">
          {t('webhooks.deliveries')}
        </Heading>
        <Deliveries id={id} on={on} />
      </Box>
      {asking === 'rotate' && (
        <ConfirmDialog
          open
          Icon={KeyIcon}
          title={t('webhooks.rotateTitle')}
          act={t('webhooks.rotate')}
          pending={rotate.isPending}
          onClose={back}
          onConfirm={() => rotate.mutate(undefined)}
        >
          {t('webhooks.rotateText', { count: limits.webhookOldSecretHours })}
        </ConfirmDialog>
      )}
      {asking === 'remove' && (
        <ConfirmDialog
          open
          Icon={TrashIcon}
          title={t('webhooks.removeTitle')}
          act={t('webhooks.remove')}
          pending={remove.isPending}
          onClose={back}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                toast.success(t('webhooks.removed'));
                onClose();
              },
            })
          }
        >
          {t('webhooks.removeText')}
        </ConfirmDialog>
      )}
    </PlainDialog>
  );
}
