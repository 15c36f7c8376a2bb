import { Box, Table } from '@chakra-ui/react';
import type { Setting } from '@lightbox/contract/settings/calls.js';
import { isKnownSetting } from '@lightbox/contract/settings/known.js';
import { settingGroups } from '@lightbox/contract/settings/shown.js';
import { ArrowCounterClockwiseIcon, TrashIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { toast } from '../lib/toaster';
import { useIsLarge } from '../lib/useMedia';
import { DicomNodes } from '../receiver/DicomNodes';
import { Card } from '../ui/Card';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { LoadFailed } from '../ui/LoadFailed';
import { Page } from '../ui/Page';
import { Waiting } from '../ui/Skeletons';
import { Webhooks } from '../webhooks/Webhooks';
import { AddRow, nothingNew } from './AddRow';
import type { Draft } from './EditRow';
import { GroupHead } from './GroupHead';
import { History } from './History';
import { type KnownDraft, KnownRow } from './KnownRow';
import { Layout } from './Layout';
import { NotesHead } from './NotesHead';
import { NoteRow } from './Row';
import { ScimTokens } from './ScimTokens';
import { knownIn, knownOf, knownSettingList, settingList, useDeleteSetting, useRefusal, useWords } from './settings';

function DeleteSetting({ setting, onClose }: { setting: Setting; onClose: () => void }) {
  const { t } = useTranslation();
  const refusal = useRefusal();
  const { nameOf, shown } = useWords();
  const name = nameOf(setting.name);
  const known = knownOf(setting.name);
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
      {known ? t('settings.removeKnown', { value: shown(known.name, known.fallback) }) : t('settings.removeText')}
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

/** The settings of the product in groups, each edited in its row, and below them the clinic's own notes. */
export function AppSettings() {
  const { t } = useTranslation();
  const wide = useIsLarge();
  const stored = useQuery(settingList);
  const infos = useQuery(knownSettingList);
  const [removing, setRemoving] = useState<Setting>();
  const [drafts, setDrafts] = useState<Record<string, Draft | undefined>>({});
  const [values, setValues] = useState<Record<string, KnownDraft | undefined>>({});
  const [fresh, setFresh] = useState(nothingNew);
  const [open, setOpen] = useState(false);
  const [shown, setShown] = useState<Pick<Setting, 'name'> & { id?: string | undefined }>();
  const list = stored.data?.data;
  const ready = list && infos.data;
  const error = stored.error ?? infos.error;
  const notes = list?.filter(({ name }) => !isKnownSetting(name)) ?? [];
  const groups = settingGroups.map((group) => (
    <Fragment key={group}>
      <GroupHead wide={wide} title={t(`settings.group.${group}`)} />
      {knownIn(group).map((name) => {
        const known = knownOf(name);
        const info = infos.data?.find((one) => one.name === name);
        const setting = list?.find((one) => one.name === name);
        return known && info ? (
          <KnownRow
            key={name}
            {...{ known, info, setting, wide }}
            draft={values[name]}
            onDraft={(draft) => setValues((now) => ({ ...now, [name]: draft }))}
            onDefault={setRemoving}
            onHistory={() => setShown({ name, id: setting?.id })}
          />
        ) : null;
      })}
    </Fragment>
  ));
  const rows = ready ? (
    <>
      {groups}
      <NotesHead wide={wide} count={notes.length} open={open} onOpen={setOpen} />
      {open &&
        notes.map((setting) => (
          <NoteRow
            key={setting.id}
            setting={setting}
            wide={wide}
            draft={drafts[setting.id]}
            onDraft={(draft) => setDrafts((now) => ({ ...now, [setting.id]: draft }))}
            onDelete={() => setRemoving(setting)}
            onHistory={() => setShown(setting)}
          />
        ))}
      <AddRow wide={wide} draft={fresh} onDraft={setFresh} onAdded={() => setOpen(true)} />
    </>
  ) : (
    <SkeletonRows wide={wide} />
  );
  return (
    <Page title={t('settings.title')} sub={t('settings.sub')}>
      <Box as="section" layerStyle="card" overflow="hidden">
        {error && !ready ? (
          <LoadFailed
            text={errorText(error)}
            onRetry={() => {
              void stored.refetch();
              void infos.refetch();
            }}
          />
        ) : wide ? (
          <Table.ScrollArea containerType="inline-size">
            <Table.Root fontSize=".90625rem" whiteSpace="normal" aria-busy={!ready}>
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
              <Table.Body>{rows}</Table.Body>
            </Table.Root>
          </Table.ScrollArea>
        ) : (
          <Box as="ul" listStyleType="none" aria-label={t('settings.title')} aria-busy={!ready}>
            {rows}
          </Box>
        )}
      </Box>
      <Box mt="6">
        <ScimTokens />
      </Box>
      <Box mt="6">
        <Card title={t('webhooks.titleWhole')}>
          <Webhooks whole />
        </Card>
      </Box>
      <Box mt="6">
        <Card title={t('receiver.title')}>
          <DicomNodes />
        </Card>
      </Box>
      <History of={shown} onClose={() => setShown(undefined)} />
      {removing && <DeleteSetting setting={removing} onClose={() => setRemoving(undefined)} />}
    </Page>
  );
}
