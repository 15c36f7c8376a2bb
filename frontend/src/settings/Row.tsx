import { Button, IconButton, Text } from '@chakra-ui/react';
import type { Setting } from '@lightbox/contract/settings/calls.js';
import { ClockCounterClockwiseIcon, PencilSimpleIcon, TrashIcon } from '@phosphor-icons/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../lib/format';
import { type Draft, EditRow } from './EditRow';
import { Actions, Layout, Name } from './Layout';

interface RowProps {
  setting: Setting;
  wide: boolean;
  draft: Draft | undefined;
  onDraft: (draft: Draft | undefined) => void;
  onDelete: () => void;
  onHistory: () => void;
}

/** One note of the clinic. Edit turns value and description into inputs, and a highlight marks the row. */
export function NoteRow({ setting, wide, draft, onDraft, onDelete, onHistory }: RowProps) {
  const { t } = useTranslation();
  const editing = draft !== undefined;
  const opener = useRef<HTMLButtonElement>(null);
  const was = useRef(false);
  // Return the focus to the button that opened the inputs.
  useEffect(() => {
    if (was.current && !editing) opener.current?.focus();
    was.current = editing;
  }, [editing]);
  if (draft) return <EditRow setting={setting} wide={wide} draft={draft} onDraft={onDraft} />;
  return (
    <Layout
      wide={wide}
      parts={{
        editing,
        name: <Name setting={setting} />,
        value: (
          <Text as="span" fontFamily="mono" fontSize="sm" dir="auto" overflowWrap="anywhere" whiteSpace="pre-wrap">
            {setting.value}
          </Text>
        ),
        description: (
          <Text as="span" color="fg.muted" dir="auto" overflowWrap="anywhere">
            {setting.description || t('settings.noDescription')}
          </Text>
        ),
        created: formatDate(setting.createAt),
        updated: formatDate(setting.updatedAt),
        actions: (
          <Actions>
            <Button
              ref={opener}
              variant="ghost"
              size="sm"
              aria-label={t('settings.editName', { name: setting.name })}
              onClick={() => onDraft({ value: setting.value, description: setting.description })}
            >
              <PencilSimpleIcon aria-hidden />
              {t('settings.edit')}
            </Button>
            <IconButton
              variant="ghost"
              size="sm"
              aria-label={t('settings.historyOf', { name: setting.name })}
              onClick={onHistory}
            >
              <ClockCounterClockwiseIcon />
            </IconButton>
            <IconButton
              variant="plain"
              colorPalette="danger"
              color="danger.fg"
              size="sm"
              aria-label={t('settings.deleteName', { name: setting.name })}
              onClick={onDelete}
            >
              <TrashIcon />
            </IconButton>
          </Actions>
        ),
      }}
    />
  );
}
