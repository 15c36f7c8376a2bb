import { Box, Dialog, Input, Table, Text } from '@chakra-ui/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { useDebounced } from '../lib/useDebounced';
import { LoadFailed } from '../ui/LoadFailed';
import { Modal } from '../ui/Modal';
import { tagsOf } from './frames';

/** Rows that the table shows at first. A header may have thousands; the search finds the others. */
const SHOWN = 300;

/** The header of the file as a table that can be searched. */
export function TagsDialog({ imageId, onClose }: { imageId: string | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const asked = useDebounced(search.trim(), 250);
  const { data, error, refetch } = useQuery({
    ...tagsOf(imageId ?? '', asked),
    enabled: Boolean(imageId),
    placeholderData: (before) => before,
  });
  const rows = data?.slice(0, SHOWN);
  return (
    <Modal
      open={Boolean(imageId)}
      onClose={onClose}
      title={t('viewer.tagsTitle')}
      sub={t('viewer.tagsText')}
      scrollBehavior="inside"
      maxW={{ base: '100vw', md: 'min(880px, calc(100vw - 64px))' }}
      initialFocus={(content) => content?.querySelector('input') ?? null}
    >
      <Box px={{ base: '5', md: '6' }} pb="3">
        <Input
          type="search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          placeholder={t('viewer.tagsSearch')}
          aria-label={t('viewer.tagsSearch')}
          dir="auto"
        />
      </Box>
      <Dialog.Body pt="0" tabIndex={0} role="region" aria-label={t('viewer.tagsTitle')}>
        {error && !data ? (
          <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
        ) : (
          <Table.Root size="sm" dir="ltr">
            <Table.Header>
              <Table.Row>
                <Table.ColumnHeader>{t('viewer.tag')}</Table.ColumnHeader>
                <Table.ColumnHeader>{t('viewer.tagName')}</Table.ColumnHeader>
                <Table.ColumnHeader>VR</Table.ColumnHeader>
                <Table.ColumnHeader>{t('viewer.tagValue')}</Table.ColumnHeader>
              </Table.Row>
            </Table.Header>
            <Table.Body>
              {rows?.map(({ tag, keyword, vr, value, depth = 0 }, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a tag may occur in many items of a sequence
                <Table.Row key={i} data-tag={tag}>
                  <Table.Cell
                    fontFamily="mono"
                    whiteSpace="nowrap"
                    style={{ paddingInlineStart: `${8 + depth * 14}px` }}
                  >
                    ({tag.slice(0, 4)},{tag.slice(4)})
                  </Table.Cell>
                  <Table.Cell overflowWrap="anywhere">{keyword ?? '–'}</Table.Cell>
                  <Table.Cell fontFamily="mono">{vr}</Table.Cell>
                  <Table.Cell overflowWrap="anywhere" dir="auto">
                    {value}
                  </Table.Cell>
                </Table.Row>
              ))}
            </Table.Body>
          </Table.Root>
        )}
        {rows?.length === 0 && (
          <Text py="4" color="fg.muted">
            {t('viewer.tagsNone')}
          </Text>
        )}
      </Dialog.Body>
    </Modal>
  );
}
