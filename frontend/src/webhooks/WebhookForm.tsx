import { Box, Button, Checkbox, Flex, Stack, Text } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { eventsOf, type WebhookEvent, type WebhookGroup, webhookGroups } from '@lightbox/contract/webhooks/events.js';
import { WarningCircleIcon } from '@phosphor-icons/react';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { TextField } from '../ui/Field';
import type { Fields } from './webhooks';

interface GroupsProps {
  chosen: readonly WebhookEvent[];
  fault: boolean;
  onChange: (chosen: WebhookEvent[]) => void;
}

/** Chooses events by the kind of record. The API can also choose single ones: such a group is shown as partly chosen. */
function Groups({ chosen, fault, onChange }: GroupsProps) {
  const { t } = useTranslation();
  const [label, error] = [useId(), useId()];
  const stateOf = (group: WebhookGroup) => {
    const count = eventsOf(group).filter((event) => chosen.includes(event)).length;
    return count > 0 && count < eventsOf(group).length ? 'indeterminate' : count > 0;
  };
  const others = (group: WebhookGroup) => chosen.filter((event) => !eventsOf(group).includes(event));
  return (
    <Box role="group" aria-labelledby={label} {...(fault && { 'aria-describedby': error })}>
      <Text id={label} fontSize="sm" fontWeight="semibold" mb="1">
        {t('webhooks.events')}
      </Text>
      {webhookGroups.map((group) => (
        <Checkbox.Root
          key={group}
          display="flex"
          minH="touch"
          invalid={fault}
          checked={stateOf(group)}
          onCheckedChange={({ checked }) =>
            onChange(checked === true ? [...others(group), ...eventsOf(group)] : others(group))
          }
        >
          <Checkbox.HiddenInput />
          <Checkbox.Control />
          <Checkbox.Label>{t(`webhooks.group.${group}`)}</Checkbox.Label>
        </Checkbox.Root>
      ))}
      {fault && (
        <Flex id={error} role="alert" gap="1.5" fontSize="xs" color="fg.error">
          <WarningCircleIcon size={17} aria-hidden style={{ flex: 'none' }} />
          {t('webhooks.eventsNeeded')}
        </Flex>
      )}
    </Box>
  );
}

interface Props {
  initial?: Fields;
  act: string;
  pending: boolean;
  /** The refusal of the server. */
  error: unknown;
  onSubmit: (fields: Fields) => void;
}

/** The form of a webhook: its address and its events. */
export function WebhookForm({ initial, act, pending, error, onSubmit }: Props) {
  const { t } = useTranslation();
  const [url, setUrl] = useState(initial?.url ?? '');
  const [events, setEvents] = useState<WebhookEvent[]>(initial?.events ?? []);
  const [faults, setFaults] = useState<{ url?: true; events?: true }>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const missing = {
      ...(!/^https?:\/\/\S/.test(url.trim()) && { url: true as const }),
      ...(events.length === 0 && { events: true as const }),
    };
    setFaults(missing);
    if (Object.keys(missing).length === 0) onSubmit({ url: url.trim(), events });
  };
  return (
    <Stack asChild gap="5">
      <form noValidate onSubmit={submit}>
        <TextField
          autoFocus
          type="url"
          dir="ltr"
          inputMode="url"
          autoComplete="off"
          label={t('webhooks.url')}
          help={t('webhooks.urlHelp')}
          maxLength={limits.webhookUrlLength}
          value={url}
          error={faults.url && t('webhooks.urlNeeded')}
          onChange={(event) => {
            setUrl(event.target.value);
            setFaults(({ url: _, ...rest }) => rest);
          }}
        />
        <Groups
          chosen={events}
          fault={Boolean(faults.events)}
          onChange={(chosen) => {
            setEvents(chosen);
            setFaults(({ events: _, ...rest }) => rest);
          }}
        />
        {Boolean(error) && (
          <Text role="alert" fontSize="sm" color="fg.error" whiteSpace="pre-line">
            {errorText(error)}
          </Text>
        )}
        <Button type="submit" loading={pending} loadingText={act}>
          {act}
        </Button>
      </form>
    </Stack>
  );
}
