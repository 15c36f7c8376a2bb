import { Box, Button, Flex, Table } from '@chakra-ui/react';
import { PlusIcon } from '@phosphor-icons/react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../lib/toaster';
import type { Draft } from './EditRow';
import { Fault, InputCell, MonoInput } from './inputs';
import { useAddSetting, useFault, useRefusal } from './settings';

export type NewDraft = Draft & { name: string };
export const nothingNew: NewDraft = { name: '', value: '', description: '' };

interface Props {
  wide: boolean;
  draft: NewDraft;
  onDraft: (draft: NewDraft) => void;
  /** Called after a note was added. */
  onAdded: () => void;
}

interface LayoutProps {
  wide: boolean;
  fields: Record<'name' | 'value' | 'description', ReactNode>;
  act: ReactNode;
}

/** Lays the fields out as a row of the table, or as a card on a phone. */
function Layout({ wide, fields, act }: LayoutProps) {
  if (wide)
    return (
      <Table.Row bg="bg.subtle" verticalAlign="top">
        <Table.Cell py="4" ps="5" borderBottomWidth="0">
          {fields.name}
        </Table.Cell>
        <Table.Cell py="4" borderBottomWidth="0">
          {fields.value}
        </Table.Cell>
        <Table.Cell py="4" borderBottomWidth="0" colSpan={3}>
          {fields.description}
        </Table.Cell>
        <Table.Cell py="4" pe="5" textAlign="end" borderBottomWidth="0">
          {act}
        </Table.Cell>
      </Table.Row>
    );
  return (
    <Box as="li" p="4" borderTopWidth="1px" bg="bg.subtle">
      <Flex direction="column" gap="2.5">
        <Box>{fields.name}</Box>
        <Box>{fields.value}</Box>
        <Box>{fields.description}</Box>
        {act}
      </Flex>
    </Box>
  );
}

/** The last row, which adds a note. With an empty name it does nothing. */
export function AddRow({ wide, draft, onDraft, onAdded }: Props) {
  const { t } = useTranslation();
  const form = useId();
  const faultId = useId();
  const { name, value, description, faults = {} } = draft;
  const refusal = useRefusal();
  const fault = useFault();
  const add = useAddSetting({
    onDone: () => {
      toast.success(t('settings.added', { name: name.trim() }));
      onDraft(nothingNew);
      onAdded();
    },
    onError: (error) =>
      onDraft({ ...draft, faults: refusal(error, ['name', 'value', 'description'], { name: name.trim(), value }) }),
  });

  const submit = () => {
    if (!name.trim() || add.isPending) return;
    const found = fault(name.trim(), value);
    if (found.value) return onDraft({ ...draft, faults: found });
    add.mutate({ name: name.trim(), value, description });
  };
  const fields = {
    name: (
      <>
        <MonoInput
          form={form}
          dir="ltr"
          autoCapitalize="none"
          spellCheck={false}
          aria-label={t('settings.newName')}
          placeholder={t('settings.name')}
          value={name}
          onChange={(event) => onDraft({ name: event.target.value, value, description })}
          {...(faults.name && { 'aria-invalid': true, 'aria-describedby': faultId })}
        />
        <Fault id={faultId}>{faults.name}</Fault>
      </>
    ),
    value: (
      <InputCell fault={faults.value}>
        {(aria) => (
          <MonoInput
            form={form}
            aria-label={t('settings.newValue')}
            placeholder={t('settings.value')}
            value={value}
            onChange={(event) => onDraft({ ...draft, value: event.target.value })}
            {...aria}
          />
        )}
      </InputCell>
    ),
    description: (
      <InputCell fault={faults.description}>
        {(aria) => (
          <MonoInput
            form={form}
            fontFamily="body"
            dir="auto"
            aria-label={t('settings.newDescription')}
            placeholder={t('settings.description')}
            value={description}
            onChange={(event) => onDraft({ ...draft, description: event.target.value })}
            {...aria}
          />
        )}
      </InputCell>
    ),
  };
  const act = (
    <form
      id={form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Button
        type="submit"
        variant="subtle"
        size="sm"
        loading={add.isPending}
        loadingText={t('settings.add')}
        h="control"
        w={{ base: 'full', md: 'auto' }}
      >
        <PlusIcon aria-hidden />
        {t('settings.add')}
      </Button>
    </form>
  );
  return <Layout wide={wide} fields={fields} act={act} />;
}
