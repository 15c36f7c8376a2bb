import { Box, Button, Flex, Heading, Table, Text } from '@chakra-ui/react';
import type { Setting } from '@lightbox/contract/settings/calls.js';
import { CheckCircleIcon, GearSixIcon, InfoIcon, TrashIcon } from '@phosphor-icons/react';
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
import { type Draft, Layout, SettingRow, useKnownText } from './Row';
import { knownNames, knownOf, settingList, useDeleteSetting, useRefusal } from './settings';

function DeleteSetting({ setting, onClose }: { setting: Setting; onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useDeleteSetting();
  const refusal = useRefusal();
  const { name } = setting;
  const known = knownOf(name);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      Icon={TrashIcon}
      title={t('settings.removeTitle', { name })}
      act={t('settings.removeAct')}
      pending={remove.isPending}
      finalFocus={() => document.querySelector('main')}
      onConfirm={() =>
        remove.mutate(setting.id, {
          onSuccess: () => {
            toast.success(t('settings.removed', { name }));
            onClose();
          },
          onError: (error) => void refusal(error),
        })
      }
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

/** What the product makes of a setting, its default, and a way to set it. */
function KnownSettings({ names, onSet }: { names: ReadonlySet<string>; onSet: (name: string) => void }) {
  const { t } = useTranslation();
  const knownText = useKnownText();
  return (
    <Box as="section" layerStyle="card" mt="5" overflow="hidden">
      <Box px="5" py="4">
        <Heading as="h2" textStyle="section">
          {t('settings.knownTitle')}
        </Heading>
        <Text fontSize="sm" color="fg.muted" mt="0.5">
          {t('settings.knownSub')}
        </Text>
      </Box>
      <Box as="ul" listStyleType="none">
        {knownNames
          .flatMap((name) => knownOf(name) ?? [])
          .map(({ name, fallback, range }) => (
            <Flex as="li" key={name} px="5" py="3.5" borderTopWidth="1px" gap="4" align="center" wrap="wrap">
              <Box flex="1 1 280px" minW="0">
                <Text fontFamily="mono" fontSize="sm" fontWeight="bold" dir="ltr">
                  {name}
                </Text>
                <Text fontSize="sm" color="fg.muted">
                  {knownText(name)}
                </Text>
              </Box>
              <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums" flex="0 1 300px">
                <Box as="span" color="fg" fontWeight="semibold">
                  {t('settings.default', { value: fallback })}
                </Box>
                {' · '}
                {range}
              </Text>
              <Flex w={{ md: '120px' }} justify={{ md: 'flex-end' }}>
                {names.has(name) ? (
                  <Flex align="center" gap="1.5" fontSize="sm" fontWeight="semibold" color="success.fg" h="36px">
                    <CheckCircleIcon size={18} weight="fill" aria-hidden />
                    {t('settings.isSet')}
                  </Flex>
                ) : (
                  <Button
                    variant="outline"
                    size="sm"
                    aria-label={t('settings.setIt', { name })}
                    onClick={() => onSet(name)}
                  >
                    {t('settings.set')}
                  </Button>
                )}
              </Flex>
            </Flex>
          ))}
      </Box>
    </Box>
  );
}

/** The product's settings, changed in their rows. */
export function AppSettings() {
  const { t } = useTranslation();
  const wide = useIsWide();
  const { data, error, refetch } = useQuery(settingList);
  const [removing, setRemoving] = useState<Setting>();
  const [drafts, setDrafts] = useState<Record<string, Draft | undefined>>({});
  const [fresh, setFresh] = useState(nothingNew);
  const newValue = useRef<HTMLInputElement>(null);
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
          names={new Set(list.map(({ name }) => name))}
          onSet={(name) => {
            setFresh((now) => ({ ...now, name }));
            newValue.current?.focus();
          }}
        />
      )}
      {removing && <DeleteSetting setting={removing} onClose={() => setRemoving(undefined)} />}
    </Page>
  );
}
