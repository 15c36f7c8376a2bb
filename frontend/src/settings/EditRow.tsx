import { Button, Textarea } from '@chakra-ui/react';
import type { Setting } from '@lightbox/contract/settings/calls.js';
import { CheckIcon } from '@phosphor-icons/react';
import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../lib/format';
import { toast } from '../lib/toaster';
import { InputCell, MonoInput } from './inputs';
import { Actions, Layout, Name } from './Layout';
import { type Faults, useEditSetting, useRefusal } from './settings';

/** The typed values of a row. The screen stores them, so that they survive the change from table to cards. */
export interface Draft {
  value: string;
  description: string;
  /** The faults of the last attempt. */
  faults?: Faults;
}

interface EditProps {
  setting: Setting;
  wide: boolean;
  draft: Draft;
  onDraft: (draft: Draft | undefined) => void;
}

/** A note in edit mode: its value and its description. */
export function EditRow({ setting, wide, draft, onDraft }: EditProps) {
  const { t } = useTranslation();
  const form = useId();
  const { value, description, faults = {} } = draft;
  const onDone = () => onDraft(undefined);
  const input = useRef<HTMLInputElement>(null);
  const refusal = useRefusal();
  const refuse = (found: Faults) => {
    onDraft({ value, description, faults: found });
    input.current?.focus();
  };
  const save = useEditSetting(setting.id, {
    onDone: () => {
      toast.success(t('settings.saved', { name: setting.name }));
      onDone();
    },
    onError: (error) => refuse(refusal(error, ['value', 'description'], { name: setting.name, value })),
  });
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);

  const submit = () => {
    if (value === setting.value && description === setting.description) return onDone();
    save.mutate({ value, description });
  };
  const leave = (event: React.KeyboardEvent) => event.key === 'Escape' && onDone();
  return (
    <Layout
      wide={wide}
      parts={{
        editing: true,
        name: <Name setting={setting} />,
        value: (
          <InputCell fault={faults.value}>
            {(aria) => (
              <MonoInput
                ref={input}
                form={form}
                aria-label={t('settings.valueOf', { name: setting.name })}
                value={value}
                onChange={(event) => onDraft({ ...draft, value: event.target.value })}
                onKeyDown={leave}
                {...aria}
              />
            )}
          </InputCell>
        ),
        description: (
          <InputCell fault={faults.description}>
            {(aria) => (
              <Textarea
                form={form}
                rows={2}
                bg="bg.surface"
                dir="auto"
                aria-label={t('settings.descriptionOf', { name: setting.name })}
                value={description}
                onChange={(event) => onDraft({ ...draft, description: event.target.value })}
                onKeyDown={leave}
                {...aria}
              />
            )}
          </InputCell>
        ),
        created: formatDate(setting.createAt),
        updated: formatDate(setting.updatedAt),
        actions: (
          <Actions asChild gap="2">
            <form
              id={form}
              onSubmit={(event) => {
                event.preventDefault();
                submit();
              }}
            >
              <Button variant="outline" size="sm" onClick={onDone}>
                {t('settings.cancel')}
              </Button>
              <Button type="submit" size="sm" loading={save.isPending} loadingText={t('settings.save')}>
                <CheckIcon aria-hidden />
                {t('settings.save')}
              </Button>
            </form>
          </Actions>
        ),
      }}
    />
  );
}
