import { Box, Flex, Table } from '@chakra-ui/react';
import type { Setting } from '@lightbox/contract/settings/calls.js';
import { ArrowCounterClockwiseIcon, GearSixIcon, InfoIcon, TrashIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { toast } from '../lib/toaster';
import { useIsWide } from '../lib/useMedia';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { Page } from '../ui/Page';
import { Waiting } from '../ui/Skeletons';
import { AddRow, nothingNew } from './AddRow';
import type { Draft } from './EditRow';
import { History } from './History';
import { KnownSettings } from './Known';
import { Layout } from './Layout';
import { SettingRow } from './Row';
import { knownOf, settingList, useDeleteSetting, useRefusal } from './settings';

function DeleteSetting({ setting, onClose }: { setting: Setting; onClose: () => void }) {
  const { t } = useTranslation();
  const refusal = useRefusal();
  const { name } = setting;
  const known = knownOf(name);
  const remove = useDeleteSetting({
    onDone: () => {
      toast.success(t(known ? 'settings.isDefault' : 'settings.removed', { name }));
      onClose();
    },
    onError: (error) => void refusal(error),
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      Icon={known ? ArrowCounterClockwiseIcon : TrashIcon}
      title={t(known ? 'settings.toDefaultTitle' : 'settings.removeTitle', { name })}
      act={t(known ? 'settings.toDefault' : 'settings.removeAct')}
      pending={remove.isPending}
      finalFocus={() => document.querySelector('main')}
      onConfirm={() => remove.mutate(setting.id)}
    >
      {known ? t('settings.removeKnown', { value: known.fallback }) : t('settings.removeText')}
    </ConfirmDialog>
  );
}

const SkeletonRows = ({ wide }: { wide: boolean }) => {
  const bar = (w: string) => <Waiting h="14px" w={w} />;
  return [1, 2, 3].map((row) => (
    <Layout
      key={row}
      wide={wide}
      parts={{
        editing: false,
        name: bar('70%'),
        value: bar('40%'),
        description: bar('80%'),
        created: bar('60px'),
        updated: bar('60px'),
        actions: null,
      }}
    />
  ));
};

/** The settings of the product. Each one is edited in its row. */
export function AppSettings() {
  const { t } = useTranslation();
  const wide = useIsWide();
  const { data, error, refetch } = useQuery(settingList);
  const [removing, setRemoving] = useState<Setting>();
  const [drafts, setDrafts] = useState<Record<string, Draft | undefined>>({});
  const [fresh, setFresh] = useState(nothingNew);
  const newValue = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const [shown, setShown] = useState<Pick<Setting, 'name'> & { id?: string | undefined }>();
  const list = data?.data;
  const rows = list ? (
    list.map((setting) => (
      <SettingRow
        key={setting.id}
        setting={setting}
        wide={wide}
        draft={drafts[setting.id]}
        onDraft={(draft) => setDrafts((now) => ({ ...now, [setting.id]: draft }))}
        onDelete={() => setRemoving(setting)}
        onHistory={() => setShown(setting)}
      />
    ))
  ) : (
    <SkeletonRows wide={wide} />
  );
  const none = <EmptyState Icon={GearSixIcon} title={t('settings.none')} text={t('settings.noneText')} />;
  const addRow = <AddRow wide={wide} draft={fresh} onDraft={setFresh} valueRef={newValue} />;
  return (
    <Page title={t('settings.title')} sub={t('settings.sub')}>
      <Box as="section" layerStyle="card" overflow="hidden">
        {error && !data ? (
          <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
        ) : wide ? (
          <Table.ScrollArea>
            <Table.Root fontSize=".90625rem" whiteSpace="normal" aria-busy={!list}>
              <Table.Caption srOnly>{t('settings.title')}</Table.Caption>
              <Table.Header>
                <Table.Row bg="bg.subtle">
                  <Table.ColumnHeader ps="5">{t('settings.name')}</Table.ColumnHeader>
                  <Table.ColumnHeader>{t('settings.value')}</Table.ColumnHeader>
                  <Table.ColumnHeader>{t('settings.description')}</Table.ColumnHeader>
                  <Table.ColumnHeader>{t('settings.created')}</Table.ColumnHeader>
                  <Table.ColumnHeader>{t('settings.updated')}</Table.ColumnHeader>
                  <Table.ColumnHeader textAlign="end" pe="5">
                    {t('common.actions')}
                  </Table.ColumnHeader>
                </Table.Row>
              </Table.Header>
              <Table.Body>
                {rows}
                {list?.length === 0 && (
                  <Table.Row bg="transparent">
                    <Table.Cell colSpan={6}>{none}</Table.Cell>
                  </Table.Row>
                )}
                {list && addRow}
              </Table.Body>
            </Table.Root>
          </Table.ScrollArea>
        ) : (
          <>
            {list?.length === 0 && none}
            <Box as="ul" listStyleType="none" aria-label={t('settings.title')} aria-busy={!list}>
              {rows}
              {list && addRow}
            </Box>
          </>
        )}
      </Box>
      <Flex gap="2" mt="3.5" fontSize="sm" color="fg.muted" align="center">
        <InfoIcon size={18} aria-hidden style={{ flex: 'none' }} />
        {t('settings.note')}
      </Flex>
      {list && (
        <KnownSettings
          settings={list}
          onSet={(name) => {
            setFresh((now) => ({ ...now, name, faults: {} }));
            requestAnimationFrame(() => newValue.current?.focus());
          }}
          onDefault={setRemoving}
          onHistory={(name) => setShown({ name, id: list.find((one) => one.name === name)?.id })}
        />
      )}
      <History of={shown} onClose={() => setShown(undefined)} />
      {removing && <DeleteSetting setting={removing} onClose={() => setRemoving(undefined)} />}
    </Page>
  );
}
