import { Box, Button, Flex, IconButton, Switch, Text } from '@chakra-ui/react';
import { type ExportFormat, exportFormats } from '@lightbox/contract/annotations/schemas.js';
import { ArrowUUpLeftIcon, EyeIcon, EyeSlashIcon, PencilSimpleIcon, TrashIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '../../lib/format';
import { HeldSwitchInput } from '../../ui/HeldInput';
import type { Measure, Pane } from '../engine';
import { focusableOf } from '../focus';
import { partsOf } from '../markUid';
import type { AuthorLayers } from './authors';
import { exportLayer } from './layers';
import type { MarkLayers } from './useLayers';

interface ListProps {
  /** The pane that gets the focus after the last mark. */
  pane: Pane | undefined;
  measures: readonly Measure[];
  /** The author whose marks they are; absent for one's own. */
  author?: string | undefined;
  /** Absent for the marks of others. */
  onRemove?: ((uid: string) => void) | undefined;
  onEdit?: ((uid: string) => void) | undefined;
}

/** Returns the button that removes the next mark of a list, or the one before. The row of the button itself goes. */
function binBeside(button: HTMLElement): HTMLElement | null | undefined {
  const row = button.closest('li');
  return (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector('[data-remove]');
}

/** A list of marks. Each measurement carries kind, value and unit for tests and other programs. */
function MeasureList({ pane, measures, author, onRemove, onEdit }: ListProps) {
  const { t } = useTranslation();
  return (
    <Box as="ul" listStyleType="none">
      {measures.map(({ uid, kind, value, unit, lines }) => {
        const name = t(`viewer.tool.${kind}`);
        const said = lines.join(', ');
        const measured = { 'data-measure': '', 'data-kind': kind, 'data-value': value, 'data-unit': unit };
        return (
          <Flex
            as="li"
            key={uid}
            align="center"
            justify="space-between"
            gap="2"
            minH="36px"
            fontSize="14px"
            {...(kind === 'arrow' ? { 'data-arrow': '' } : measured)}
            {...(author && { 'data-author': author })}
          >
            <Text as="span" color="viewer.muted">
              {name}
            </Text>
            <Text
              as="span"
              ms="auto"
              textAlign="end"
              minW="0"
              overflowWrap="anywhere"
              {...(kind === 'arrow' ? { dir: 'auto' } : { fontFamily: 'mono' })}
            >
              {said}
            </Text>
            {kind === 'arrow' && onEdit && (
              <IconButton
                size="xs"
                variant="plain"
                color="viewer.muted"
                aria-label={t('viewer.marks.edit', { text: said })}
                onClick={() => onEdit(uid)}
              >
                <PencilSimpleIcon />
              </IconButton>
            )}
            {onRemove && (
              <IconButton
                size="xs"
                variant="plain"
                color="viewer.muted"
                aria-label={t('viewer.removeThis', { kind: name, value: said })}
                data-remove=""
                onClick={({ currentTarget }) => {
                  onRemove(uid);
                  (binBeside(currentTarget) ?? focusableOf(pane))?.focus({ preventScroll: true });
                }}
              >
                <TrashIcon />
              </IconButton>
            )}
          </Flex>
        );
      })}
    </Box>
  );
}

/** The sentence about saving. It is read aloud when it changes. */
export function KeepStatus({ layers }: { layers: MarkLayers }) {
  const { t } = useTranslation();
  const said = layers.mayAnnotate && (layers.hasMarks || layers.state !== 'saved');
  return (
    <Text
      as="span"
      role="status"
      aria-live="polite"
      data-kept={said ? layers.state : undefined}
      fontSize="13px"
      color={layers.state === 'waiting' || layers.state === 'refused' ? 'viewer.warn' : 'viewer.muted'}
    >
      {said ? t(`viewer.marks.state.${layers.state}`) : ''}
    </Text>
  );
}

function Head({
  name,
  hidden,
  onToggle,
  children,
}: {
  name: string;
  hidden: boolean;
  onToggle: () => void;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Flex align="center" gap="2" minH="36px">
      <Text as="bdi" fontSize="14px" fontWeight="600" minW="0" overflowWrap="anywhere">
        {name}
      </Text>
      {children}
      <IconButton
        ms="auto"
        size="xs"
        variant="plain"
        color="viewer.text"
        aria-pressed={!hidden}
        aria-label={t('viewer.marks.show', { name })}
        onClick={onToggle}
      >
        {hidden ? <EyeSlashIcon /> : <EyeIcon />}
      </IconButton>
    </Flex>
  );
}

/** Buttons that save a layer as a DICOM file. */
function Export({ group, me }: { group: AuthorLayers; me: boolean }) {
  const { t } = useTranslation();
  const saving = useMutation({
    mutationFn: async (format: ExportFormat) => {
      for (const { imageId, marks } of group.layers) {
        if (marks.length > 0) await exportLayer(imageId, format, me ? undefined : group.author?.id);
      }
    },
    meta: { fallback: t('viewer.marks.exportFailed') },
  });
  if ((!me && !group.author) || !group.layers.some(({ marks }) => marks.length > 0)) return null;
  return (
    <Flex gap="2" mt="1" wrap="wrap">
      {exportFormats.map((format) => (
        <Button
          key={format}
          size="xs"
          variant="outline"
          color="viewer.text"
          borderColor="viewer.control"
          loading={saving.isPending && saving.variables === format}
          onClick={() => saving.mutate(format)}
        >
          {t(`viewer.marks.export.${format}`)}
        </Button>
      ))}
    </Flex>
  );
}

const ownOf = (measures: readonly Measure[]) => measures.filter(({ uid }) => !partsOf(uid).layer);
const ofGroup = (measures: readonly Measure[], group: AuthorLayers) =>
  measures.filter(({ uid }) => group.layers.some(({ id }) => id === partsOf(uid).layer));

/** The marks without their switches, for screen readers beside a panel that is closed. */
export function MarkLists({
  layers,
  pane,
  measures,
  onRemove,
}: Pick<Props, 'layers' | 'pane' | 'measures' | 'onRemove'>) {
  return (
    <>
      <MeasureList pane={pane} measures={ownOf(measures)} onRemove={onRemove} />
      {layers.authors
        .filter((group) => !group.mine)
        .map((group) => (
          <MeasureList key={group.key} pane={pane} measures={ofGroup(measures, group)} author={group.key} />
        ))}
    </>
  );
}

interface Props {
  layers: MarkLayers;
  pane: Pane | undefined;
  measures: readonly Measure[];
  onRemove: (uid: string) => void;
  /** True for a DICOM file, and a person with an account. */
  exports: boolean;
  /** True while the panes show cuts, whose marks are not kept. */
  onCuts: boolean;
}

/** The marks on the picture, by their authors. */
export function MarksSection({ layers, pane, measures, onRemove, exports, onCuts }: Props) {
  const { t } = useTranslation();
  const own = ownOf(measures);
  const mine = layers.authors.find((group) => group.mine);
  const others = layers.authors.filter((group) => !group.mine);
  const edit = layers.mayAnnotate ? layers.edit : undefined;
  return (
    <Flex direction="column" gap="4">
      {own.length > 0 || mine || layers.canUndo ? (
        <Box>
          <Head name={t('viewer.marks.mine')} hidden={layers.isHidden('own')} onToggle={() => layers.toggle('own')}>
            <KeepStatus layers={layers} />
            {layers.canUndo && (
              <IconButton
                size="xs"
                variant="plain"
                color="viewer.text"
                aria-label={t('viewer.act.undo')}
                onClick={layers.undo}
              >
                <ArrowUUpLeftIcon />
              </IconButton>
            )}
          </Head>
          <MeasureList pane={pane} measures={own} onRemove={onRemove} onEdit={edit} />
          {layers.mayAnnotate && (
            <Switch.Root
              mt="2"
              alignItems="center"
              gap="3"
              size="sm"
              checked={layers.shared}
              onCheckedChange={({ checked }) => layers.share(checked)}
            >
              <HeldSwitchInput />
              <Switch.Control flex="none" />
              <Switch.Label fontSize="14px" fontWeight="normal" color="viewer.text">
                {t('viewer.marks.share')}
              </Switch.Label>
            </Switch.Root>
          )}
          {exports && mine && <Export group={mine} me />}
        </Box>
      ) : (
        <Text fontSize="13px" color="viewer.muted">
          {t('viewer.noMeasures')}
        </Text>
      )}
      {others.map((group) => {
        const name = group.author ? fullName(group.author) : t('viewer.marks.somebody');
        return (
          <Box key={group.key} data-layer={group.key}>
            <Head name={name} hidden={layers.isHidden(group.key)} onToggle={() => layers.toggle(group.key)} />
            <MeasureList pane={pane} measures={ofGroup(measures, group)} author={group.key} />
            {exports && <Export group={group} me={false} />}
          </Box>
        );
      })}
      {own.length > 0 && (layers.notKept || onCuts) && (
        <Text fontSize="13px" color="viewer.muted">
          {t(onCuts ? 'viewer.marks.notOnCuts' : 'viewer.marks.notKept')}
        </Text>
      )}
    </Flex>
  );
}
