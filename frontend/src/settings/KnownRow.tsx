import { Box, Button, IconButton, Switch, Text } from '@chakra-ui/react';
import type { Setting, SettingInfo } from '@lightbox/contract/settings/calls.js';
import {
  ArrowCounterClockwiseIcon,
  CheckIcon,
  ClockCounterClockwiseIcon,
  PencilSimpleIcon,
} from '@phosphor-icons/react';
import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate, fullName } from '../lib/format';
import { toast } from '../lib/toaster';
import { HeldSwitchInput } from '../ui/HeldInput';
import { Said } from '../ui/Said';
import { InputCell } from './inputs';
import { Actions, Layout } from './Layout';
import { type Faults, isSwitch, type Known, useFault, useRefusal, useSetKnown, useWords } from './settings';
import { type Amount, amountOf, storedOf } from './units';
import { ValueFields } from './ValueFields';

/** The typed value of a known setting. The page stores it, so that it survives the change from table to cards. */
export interface KnownDraft extends Amount {
  faults?: Faults;
}

interface Props {
  known: Known;
  info: SettingInfo;
  /** The stored record; undefined while the default is in effect. */
  setting: Setting | undefined;
  wide: boolean;
  draft: KnownDraft | undefined;
  onDraft: (draft: KnownDraft | undefined) => void;
  onDefault: (setting: Setting) => void;
  onHistory: () => void;
}

function Name({ known }: { known: Known }) {
  const { nameOf } = useWords();
  return (
    <>
      <Text as="span" display="block" fontWeight="semibold">
        {nameOf(known.name)}
      </Text>
      <Text
        as="span"
        display="block"
        fontFamily="mono"
        fontSize="xs"
        color="fg.muted"
        dir="ltr"
        w="fit-content"
        overflowWrap="anywhere"
      >
        {known.name}
      </Text>
    </>
  );
}

/** The value in words, and below it the default while another value is set. */
function Value({ known, info, changed }: { known: Known; info: SettingInfo; changed: boolean }) {
  const { t } = useTranslation();
  const { shown } = useWords();
  return (
    <>
      <Text as="span" display="block" fontWeight="medium" dir="auto" overflowWrap="anywhere">
        {shown(known.name, info.current)}
      </Text>
      <Text as="span" fontSize="xs" color="fg.muted">
        {changed ? t('settings.default', { value: shown(known.name, known.fallback) }) : t('settings.isDefaultNow')}
      </Text>
    </>
  );
}

/** The date of the last change, and the person who made it. */
function Changed({ changed }: { changed: SettingInfo['changed'] }) {
  if (!changed) return '–';
  return (
    <>
      {formatDate(changed.at)}
      <Text as="span" display="block" fontSize="xs" overflowWrap="anywhere">
        <Said i18nKey="settings.changedBy" values={{ name: fullName(changed.by) }} />
      </Text>
    </>
  );
}

/** One setting that the product knows. Edit turns its value into a field; a setting of yes and no is a switch. */
export function KnownRow({ known, info, setting, wide, draft, onDraft, onDefault, onHistory }: Props) {
  const { t } = useTranslation();
  const { nameOf, textOf, shown } = useWords();
  const form = useId();
  const name = nameOf(known.name);
  const editing = draft !== undefined;
  const opener = useRef<HTMLButtonElement>(null);
  const was = useRef(false);
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null);
  useEffect(() => {
    if (editing && !was.current) {
      input.current?.focus();
      input.current?.select?.();
    }
    if (!editing && was.current) opener.current?.focus();
    was.current = editing;
  }, [editing]);
  const refusal = useRefusal();
  const fault = useFault();
  const typed = draft && (known.number ? storedOf(known.number.unit, draft) : draft.text.trim());
  const refuse = (faults: Faults) => {
    if (draft) onDraft({ ...draft, faults });
    input.current?.focus();
  };
  const save = useSetKnown(known.name, setting, {
    onDone: () => {
      toast.success(t('settings.saved', { name }));
      onDraft(undefined);
    },
    onError: (error) => refuse(refusal(error, draft ? ['value'] : [], { name: known.name, value: typed ?? '' })),
  });
  const submit = () => {
    if (typed === undefined || typed === info.current) return onDraft(undefined);
    const found = fault(known.name, typed);
    if (found.value) return refuse(found);
    save.mutate(typed);
  };
  const edit = () =>
    onDraft(known.number ? amountOf(known.number.unit, info.current) : { text: info.current, unit: '' });
  const leave = (event: KeyboardEvent) => event.key === 'Escape' && onDraft(undefined);
  const value = draft ? (
    <InputCell fault={draft.faults?.value} help={<Range known={known} />}>
      {(aria) => (
        <ValueFields
          known={known}
          amount={draft}
          onAmount={(amount) => onDraft(amount)}
          inputRef={input}
          form={form}
          label={t('settings.valueOf', { name })}
          onKeyDown={leave}
          aria={aria}
        />
      )}
    </InputCell>
  ) : isSwitch(known) ? (
    <Switch.Root
      checked={info.current === 'yes'}
      disabled={save.isPending}
      onCheckedChange={({ checked }) => save.mutate(checked ? 'yes' : 'no')}
    >
      <HeldSwitchInput aria-label={name} />
      <Switch.Control />
      <Switch.Label>{shown(known.name, info.current)}</Switch.Label>
    </Switch.Root>
  ) : (
    <Value known={known} info={info} changed={setting !== undefined} />
  );
  return (
    <Layout
      wide={wide}
      parts={{
        editing,
        name: <Name known={known} />,
        value,
        description: (
          <Box as="span" fontSize="sm" color="fg.muted">
            {textOf(known.name)}
          </Box>
        ),
        created: setting ? formatDate(setting.createAt) : '–',
        updated: <Changed changed={info.changed} />,
        actions: draft ? (
          <Actions asChild gap="2">
            <form
              id={form}
              onSubmit={(event) => {
                event.preventDefault();
                submit();
              }}
            >
              <Button variant="outline" size="sm" onClick={() => onDraft(undefined)}>
                {t('settings.cancel')}
              </Button>
              <Button type="submit" size="sm" loading={save.isPending} loadingText={t('settings.save')}>
                <CheckIcon aria-hidden />
                {t('settings.save')}
              </Button>
            </form>
          </Actions>
        ) : (
          <Actions>
            {setting && (
              <IconButton
                variant="ghost"
                size="sm"
                title={t('settings.toDefault')}
                aria-label={t('settings.toDefaultName', { name })}
                onClick={() => onDefault(setting)}
              >
                <ArrowCounterClockwiseIcon />
              </IconButton>
            )}
            <IconButton
              variant="ghost"
              size="sm"
              title={t('settings.history')}
              aria-label={t('settings.historyOf', { name })}
              onClick={onHistory}
            >
              <ClockCounterClockwiseIcon />
            </IconButton>
            {!isSwitch(known) && (
              <Button
                ref={opener}
                variant="ghost"
                size="sm"
                aria-label={t('settings.editName', { name })}
                onClick={edit}
              >
                <PencilSimpleIcon aria-hidden />
                {t('settings.edit')}
              </Button>
            )}
          </Actions>
        ),
      }}
    />
  );
}

function Range({ known }: { known: Known }) {
  const { range } = useWords();
  return known.number ? range(known) : null;
}
