import { Box, Button, Flex, IconButton, Input, Table, Text, Textarea } from '@chakra-ui/react';
import type { Setting } from '@lightbox/contract/settings/calls.js';
import { CheckIcon, PencilSimpleIcon, TrashIcon, WarningCircleIcon } from '@phosphor-icons/react';
import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../lib/format';
import { toast } from '../lib/toaster';
import { type Faults, knownOf, useEditSetting, useRefusal } from './settings';

export const useKnownText = () => {
  const { t } = useTranslation();
  return (name: string) => {
    const known = knownOf(name);
    return known && t(`settings.known.${known.name.replace('.', '_') as 'sharing_expiryHours'}`);
  };
};

export const Fault = ({ id, children }: { id: string; children: string | undefined }) =>
  children ? (
    <Flex id={id} role="alert" gap="1.5" mt="1.5" fontSize="xs" color="fg.error">
      <WarningCircleIcon size={16} aria-hidden style={{ flex: 'none', marginTop: 1 }} />
      {children}
    </Flex>
  ) : null;

interface CellProps {
  fault: string | undefined;
  help?: string | undefined;
  children: (aria: { 'aria-invalid'?: true; 'aria-describedby'?: string }) => ReactNode;
}

/** An input of the row, and under it what is wrong or what is allowed. */
export function InputCell({ fault, help, children }: CellProps) {
  const id = useId();
  return (
    <>
      {children({ ...(fault && { 'aria-invalid': true }), ...((fault || help) && { 'aria-describedby': id }) })}
      {fault ? (
        <Fault id={id}>{fault}</Fault>
      ) : (
        help && (
          <Text id={id} fontSize="xs" color="fg.muted" mt="1.5" fontVariantNumeric="tabular-nums">
            {help}
          </Text>
        )
      )}
    </>
  );
}

export const MonoInput = (props: ComponentProps<typeof Input>) => (
  <Input
    h={{ base: '44px', lg: '40px' }}
    bg="bg.surface"
    fontFamily="mono"
    fontSize="sm"
    autoComplete="off"
    {...props}
  />
);

interface Parts {
  name: ReactNode;
  value: ReactNode;
  description: ReactNode;
  created: ReactNode;
  updated: ReactNode;
  actions: ReactNode;
  editing: boolean;
}

const lampEdge = {
  bg: 'color-mix(in srgb, var(--chakra-colors-warning-subtle) 55%, transparent)',
  boxShadow: 'inset 3px 0 0 var(--chakra-colors-lamp)',
  _rtl: { boxShadow: 'inset -3px 0 0 var(--chakra-colors-lamp)' },
} as const;

export function Layout({ wide, parts }: { wide: boolean; parts: Parts }) {
  const { t } = useTranslation();
  const { name, value, description, created, updated, actions, editing } = parts;
  const tall = editing ? { py: '3.5' } : {};
  if (wide)
    return (
      <Table.Row bg="transparent" verticalAlign={editing ? 'top' : 'middle'} {...(editing && lampEdge)}>
        <Table.Cell {...tall} ps="5" minW="176px">
          {name}
        </Table.Cell>
        <Table.Cell {...tall} minW="136px" maxW="280px">
          {value}
        </Table.Cell>
        <Table.Cell {...tall} minW="160px">
          {description}
        </Table.Cell>
        <Table.Cell {...tall} whiteSpace="nowrap" color="fg.muted" fontVariantNumeric="tabular-nums">
          {created}
        </Table.Cell>
        <Table.Cell {...tall} whiteSpace="nowrap" color="fg.muted" fontVariantNumeric="tabular-nums">
          {updated}
        </Table.Cell>
        <Table.Cell {...tall} pe="5" whiteSpace="nowrap">
          {actions}
        </Table.Cell>
      </Table.Row>
    );
  return (
    <Box as="li" p="4" borderTopWidth="1px" {...(editing && lampEdge)}>
      {name}
      <Box as="dl" mt="3" display="grid" gridTemplateColumns="auto minmax(0, 1fr)" gapX="4" gapY="2.5" fontSize="sm">
        {(
          [
            [t('settings.value'), value],
            [t('settings.description'), description],
            [t('settings.created'), created],
            [t('settings.updated'), updated],
          ] as const
        ).map(([label, shown]) => (
          <Box display="contents" key={label}>
            <Box as="dt" color="fg.muted">
              {label}
            </Box>
            <Box as="dd" minW="0" overflowWrap="anywhere">
              {shown}
            </Box>
          </Box>
        ))}
      </Box>
      <Box mt="3">{actions}</Box>
    </Box>
  );
}

function Name({ setting }: { setting: Setting }) {
  const { t } = useTranslation();
  const known = knownOf(setting.name);
  return (
    <>
      <Text
        as="span"
        display="block"
        fontFamily="mono"
        fontSize="sm"
        fontWeight="bold"
        dir="ltr"
        overflowWrap="break-word"
      >
        {setting.name}
      </Text>
      {known && (
        <Text as="span" fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums">
          {t('settings.default', { value: known.fallback })}
        </Text>
      )}
    </>
  );
}

/** What is typed into a row. It belongs to the screen: table and cards are two places, and a tablet can be turned. */
export interface Draft {
  value: string;
  description: string;
}

interface RowProps {
  setting: Setting;
  wide: boolean;
  draft: Draft | undefined;
  onDraft: (draft: Draft | undefined) => void;
  onDelete: () => void;
}

/** One setting; Edit turns value and description into inputs, lamp light marks the row that is being changed. */
export function SettingRow({ setting, wide, draft, onDraft, onDelete }: RowProps) {
  const { t } = useTranslation();
  const editing = draft !== undefined;
  const opener = useRef<HTMLButtonElement>(null);
  const was = useRef(false);
  // Back to where one came from, once the inputs are gone.
  useEffect(() => {
    if (was.current && !editing) opener.current?.focus();
    was.current = editing;
  }, [editing]);
  const knownText = useKnownText();
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
            {setting.description || knownText(setting.name) || t('settings.noDescription')}
          </Text>
        ),
        created: formatDate(setting.createAt),
        updated: formatDate(setting.updatedAt),
        actions: (
          <Flex justify="flex-end" gap="1">
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
              variant="plain"
              colorPalette="danger"
              color="danger.fg"
              size="sm"
              aria-label={t('settings.deleteName', { name: setting.name })}
              onClick={onDelete}
            >
              <TrashIcon />
            </IconButton>
          </Flex>
        ),
      }}
    />
  );
}

function EditRow({ setting, wide, draft, onDraft }: Omit<RowProps, 'onDelete' | 'draft'> & { draft: Draft }) {
  const { t } = useTranslation();
  const form = useId();
  const { value, description } = draft;
  const onDone = () => onDraft(undefined);
  const [faults, setFaults] = useState<Faults>({});
  const input = useRef<HTMLInputElement>(null);
  const save = useEditSetting(setting.id);
  const refusal = useRefusal();
  const known = knownOf(setting.name);
  useEffect(() => input.current?.select(), []);

  const submit = () => {
    if (value === setting.value && description === setting.description) return onDone();
    save.mutate(draft, {
      onSuccess: () => {
        toast.success(t('settings.saved', { name: setting.name }));
        onDone();
      },
      onError: (error) => {
        setFaults(refusal(error));
        input.current?.focus();
      },
    });
  };
  const leave = (event: React.KeyboardEvent) => event.key === 'Escape' && onDone();
  return (
    <Layout
      wide={wide}
      parts={{
        editing: true,
        name: <Name setting={setting} />,
        value: (
          <InputCell fault={faults.value} help={known?.range}>
            {(aria) => (
              <MonoInput
                ref={input}
                form={form}
                aria-label={t('settings.valueOf', { name: setting.name })}
                value={value}
                onChange={(event) => onDraft({ ...draft, value: event.target.value })}
                onKeyDown={leave}
                {...(known && { inputMode: 'numeric' })}
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
          <Flex asChild justify="flex-end" gap="2">
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
          </Flex>
        ),
      }}
    />
  );
}
