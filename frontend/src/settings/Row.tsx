import { Box, Button, Flex, IconButton, Input, NativeSelect, Table, Text, Textarea } from '@chakra-ui/react';
import type { Setting } from '@lightbox/contract/settings/calls.js';
import {
  CheckIcon,
  ClockCounterClockwiseIcon,
  PencilSimpleIcon,
  TrashIcon,
  WarningCircleIcon,
} from '@phosphor-icons/react';
import { type ComponentProps, type ReactNode, type Ref, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../lib/format';
import { toast } from '../lib/toaster';
import { type Faults, knownOf, readable, useEditSetting, useFault, useRefusal } from './settings';

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

interface ValueProps extends Omit<ComponentProps<typeof Input>, 'onChange' | 'ref' | 'value'> {
  name: string;
  value: string;
  onValue: (value: string) => void;
  inputRef: Ref<HTMLInputElement & HTMLSelectElement>;
}

/** Where a value is typed; chosen, when there is a list to choose from. */
export function ValueInput({ name, value, onValue, inputRef, ...input }: ValueProps) {
  const known = knownOf(name);
  if (!known?.options)
    return (
      <MonoInput
        ref={inputRef}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        {...(known && { inputMode: 'numeric' })}
        {...input}
      />
    );
  const { form, onKeyDown, 'aria-label': label, 'aria-invalid': invalid, 'aria-describedby': describedBy } = input;
  return (
    <NativeSelect.Root>
      <NativeSelect.Field
        ref={inputRef}
        {...{ form, 'aria-label': label, 'aria-invalid': invalid, 'aria-describedby': describedBy }}
        {...(onKeyDown && { onKeyDown: onKeyDown as never })}
        value={known.options.includes(value) ? value : ''}
        onChange={(event) => onValue(event.target.value)}
        bg="bg.surface"
        borderRadius="control"
        h={{ base: '44px', lg: '40px' }}
        fontFamily="mono"
        fontSize="sm"
      >
        <option value="" disabled hidden />
        {known.options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </NativeSelect.Field>
      <NativeSelect.Indicator />
    </NativeSelect.Root>
  );
}

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

/** In two lines where the row is tight. */
const date = {
  minW: '92px',
  whiteSpace: { base: 'normal', '2xl': 'nowrap' },
  color: 'fg.muted',
  fontVariantNumeric: 'tabular-nums',
} as const;

export function Layout({ wide, parts }: { wide: boolean; parts: Parts }) {
  const { t } = useTranslation();
  const { name, value, description, created, updated, actions, editing } = parts;
  const tall = { py: editing ? '3.5' : '2.5' };
  if (wide)
    return (
      <Table.Row bg="transparent" verticalAlign={editing ? 'top' : 'middle'} {...(editing && lampEdge)}>
        <Table.Cell {...tall} ps="5" minW="176px">
          {name}
        </Table.Cell>
        <Table.Cell {...tall} minW="116px" maxW="280px">
          {value}
        </Table.Cell>
        <Table.Cell {...tall} minW="140px">
          {description}
        </Table.Cell>
        <Table.Cell {...tall} {...date}>
          {created}
        </Table.Cell>
        <Table.Cell {...tall} {...date}>
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
      <Text as="span" fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums">
        {known ? t('settings.default', { value: known.fallback }) : t('settings.isNote')}
      </Text>
    </>
  );
}

/** What is typed into a row. It belongs to the screen: table and cards are two places, and a tablet can be turned. */
export interface Draft {
  value: string;
  description: string;
  /** What was wrong with it when it was last sent. */
  faults?: Faults;
}

interface RowProps {
  setting: Setting;
  wide: boolean;
  draft: Draft | undefined;
  onDraft: (draft: Draft | undefined) => void;
  onDelete: () => void;
  onHistory: () => void;
}

/** One setting; Edit turns value and description into inputs, lamp light marks the row that is being changed. */
export function SettingRow({ setting, wide, draft, onDraft, onDelete, onHistory }: RowProps) {
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
            {readable(setting.name, setting.value)}
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
          </Flex>
        ),
      }}
    />
  );
}

function EditRow({
  setting,
  wide,
  draft,
  onDraft,
}: Omit<RowProps, 'onDelete' | 'onHistory' | 'draft'> & { draft: Draft }) {
  const { t } = useTranslation();
  const form = useId();
  const { value, description, faults = {} } = draft;
  const onDone = () => onDraft(undefined);
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const refusal = useRefusal();
  const fault = useFault();
  const refuse = (found: Faults) => {
    onDraft({ value, description, faults: found });
    input.current?.focus();
  };
  const save = useEditSetting(setting.id, {
    onDone: () => {
      toast.success(t('settings.saved', { name: setting.name }));
      onDone();
    },
    onError: (error) => refuse(refusal(error, { name: setting.name, value })),
  });
  const known = knownOf(setting.name);
  useEffect(() => {
    input.current?.focus();
    input.current?.select?.();
  }, []);

  const submit = () => {
    if (value === setting.value && description === setting.description) return onDone();
    const found = fault(setting.name, value);
    if (found.value) return refuse(found);
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
          <InputCell fault={faults.value} help={known?.range}>
            {(aria) => (
              <ValueInput
                inputRef={input}
                form={form}
                name={setting.name}
                aria-label={t('settings.valueOf', { name: setting.name })}
                value={value}
                onValue={(next) => onDraft({ ...draft, value: next })}
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
