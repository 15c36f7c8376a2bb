import { Box, chakra, Flex, Grid, Heading, IconButton, Text } from '@chakra-ui/react';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { EyeIcon, TrashIcon } from '@phosphor-icons/react';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { i18n } from '../i18n';
import { formatTime } from '../lib/format';
import type { Measure, Pane, Shown } from './engine';
import { rounded } from './measuring';
import { type Preset, presetsOf } from './presets';
import { Range } from './Range';

const Title = ({ children }: { children: ReactNode }) => (
  <Heading as="h2" fontSize="14px" fontWeight="600" color="viewer.muted" mb="2.5">
    {children}
  </Heading>
);

function PresetButton({ preset, chosen, onChoose }: { preset: Preset; chosen: boolean; onChoose: () => void }) {
  const { t } = useTranslation();
  return (
    <chakra.button
      type="button"
      onClick={onChoose}
      aria-pressed={chosen}
      aria-label={t(`viewer.preset.${preset.name}`)}
      aria-keyshortcuts={preset.key}
      data-preset={preset.name}
      data-key={preset.key}
      css={{ '&::after': { content: 'attr(data-key)', fontFamily: 'mono', fontSize: '12px' } }}
      display="flex"
      alignItems="center"
      justifyContent="space-between"
      minH={{ base: '44px', lg: '38px' }}
      px="3"
      fontSize="14px"
      fontWeight={chosen ? '600' : '400'}
      borderRadius="control"
      borderWidth="1px"
      borderColor={chosen ? 'viewer.active' : 'viewer.control'}
      bg={chosen ? 'viewer.active' : 'transparent'}
      color={chosen ? 'viewer.activeText' : 'viewer.text'}
      cursor="pointer"
      _hover={{ bg: chosen ? 'viewer.active' : 'viewer.border' }}
      _focusVisible={{ outline: '3px solid', outlineColor: 'accent.focusRing', outlineOffset: '2px' }}
    >
      <span>{t(`viewer.preset.${preset.name}`)}</span>
    </chakra.button>
  );
}

function Slider({
  label,
  value,
  min,
  max,
  onSet,
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  onSet: (to: number) => void;
}) {
  return (
    <Flex align="center" gap="3" fontSize="14px">
      <Text as="span" w="52px" flex="none" aria-hidden>
        {label}
      </Text>
      <Range
        flex="1"
        aria-label={label}
        min={min}
        max={max}
        value={value}
        step={Math.max(1, Math.round((max - min) / 1_000))}
        onChange={(event) => onSet(Number(event.currentTarget.value))}
      />
      <Text as="output" w="58px" flex="none" fontFamily="mono" textAlign="end" dir="ltr">
        {rounded(value)}
      </Text>
    </Flex>
  );
}

/** Returns the presets of what a pane shows, and the one that is chosen. */
export function usePresets(shown: Shown, facts: FrameFacts | undefined) {
  const { sent, range, center, width } = shown;
  const modality = facts?.modality ?? '';
  return useMemo(() => {
    const presets = sent ? presetsOf({ modality }, sent, range) : [];
    const near = (a: number, b: number) => Math.abs(a - b) < 0.51;
    return { presets, chosen: presets.find((one) => near(one.center, center) && near(one.width, width)) };
  }, [modality, sent, range, center, width]);
}

function WindowSection({ pane, shown, facts }: { pane: Pane | undefined; shown: Shown; facts: FrameFacts }) {
  const { t } = useTranslation();
  const { presets, chosen } = usePresets(shown, facts);
  const { range, center, width } = shown;
  const span = range ? Math.max(1, range.upper - range.lower) : 1;
  return (
    <Box as="section">
      <Title>{t('viewer.window')}</Title>
      <Grid templateColumns="1fr 1fr" gap="2" mb="4">
        {presets.map((preset) => (
          <PresetButton
            key={preset.name}
            preset={preset}
            chosen={chosen === preset}
            onChoose={() => pane?.setWindow(preset.center, preset.width)}
          />
        ))}
      </Grid>
      <Slider
        label={t('viewer.width')}
        value={width}
        min={1}
        max={Math.max(Math.ceil(span * 1.2), Math.ceil(width))}
        onSet={(to) => pane?.setWindow(center, to)}
      />
      <Slider
        label={t('viewer.level')}
        value={center}
        min={Math.min(range?.lower ?? 0, Math.floor(center))}
        max={Math.max(range?.upper ?? 1, Math.ceil(center))}
        onSet={(to) => pane?.setWindow(to, width)}
      />
    </Box>
  );
}

/** The list of measurements. Each element carries kind, value and unit for tests and other programs. */
export function MeasureList({ measures, onRemove }: { measures: readonly Measure[]; onRemove: (uid: string) => void }) {
  const { t } = useTranslation();
  return (
    <Box as="ul" listStyleType="none">
      {measures.map(({ uid, kind, value, unit, lines }) => {
        const name = t(`viewer.tool.${kind}`);
        const said = lines.join(', ');
        return (
          <Flex
            as="li"
            key={uid}
            align="center"
            justify="space-between"
            gap="2"
            minH="36px"
            fontSize="14px"
            data-measure=""
            data-kind={kind}
            data-value={value}
            data-unit={unit}
          >
            <Text as="span" color="viewer.muted">
              {name}
            </Text>
            <Text as="span" fontFamily="mono" dir="ltr" ms="auto" textAlign="end">
              {said}
            </Text>
            <IconButton
              size="xs"
              variant="plain"
              color="viewer.muted"
              aria-label={t('viewer.removeThis', { kind: name, value: said })}
              onClick={() => onRemove(uid)}
            >
              <TrashIcon />
            </IconButton>
          </Flex>
        );
      })}
    </Box>
  );
}

function Fact({ name, children, mono = false }: { name: string; children: ReactNode; mono?: boolean }) {
  return (
    <Box display="contents">
      <Text as="dt" color="viewer.muted">
        {name}
      </Text>
      <Text as="dd" textAlign="end" {...(mono && { fontFamily: 'mono' })}>
        <bdi>{children}</bdi>
      </Text>
    </Box>
  );
}

function spacingText(facts: FrameFacts): ReactNode {
  if (facts.regions?.length) return i18n.t('viewer.byRegion');
  if (!facts.pixelSpacing) return i18n.t('viewer.noSpacing');
  const [row, column] = facts.pixelSpacing;
  const same = Math.abs(row - column) < 1e-4;
  return <bdi>{same ? `${rounded(row)} mm` : `${rounded(row)} × ${rounded(column)} mm`}</bdi>;
}

interface Props {
  pane: Pane | undefined;
  shown: Shown;
  facts: FrameFacts | undefined;
  measures: readonly Measure[];
  onRemove: (uid: string) => void;
  /** The moment at which the server recorded this look. */
  lookedAt: number | undefined;
  /** More sections: the series of a study, the choice of the second picture. */
  before?: ReactNode;
  after?: ReactNode;
  rendered: boolean;
}

/** The panel beside the picture: window, facts, measurements. On a phone it is a sheet. */
export function Panel({ pane, shown, facts, measures, onRemove, lookedAt, before, after, rendered }: Props) {
  const { t } = useTranslation();
  const drawn = facts && (facts.kind === 'dicom' || facts.kind === 'picture');
  return (
    <Flex direction="column" gap="6" color="viewer.text" flex="1">
      {before}
      {drawn && !shown.colour && shown.sent && <WindowSection pane={pane} shown={shown} facts={facts} />}
      {facts && (
        <Box as="section">
          <Title>{t('viewer.picture')}</Title>
          <Grid as="dl" templateColumns="auto 1fr" columnGap="4" rowGap="2.5" fontSize="14px">
            {facts.bodyPart && <Fact name={t('viewer.bodyPart')}>{facts.bodyPart}</Fact>}
            {facts.columns && facts.rows && (
              <Fact name={t('viewer.size')} mono>
                {facts.columns} × {facts.rows}
              </Fact>
            )}
            {facts.frames > 0 && (
              <Fact name={t(facts.kind === 'pdf' ? 'viewer.pages' : 'viewer.frames')} mono>
                {Math.max(shown.frames, facts.frames)}
              </Fact>
            )}
            {drawn && <Fact name={t('viewer.spacing')}>{spacingText(facts)}</Fact>}
          </Grid>
          {facts.spacingAt === 'detector' && (
            <Text mt="2" fontSize="13px" color="viewer.warn">
              {t('viewer.detectorText')}
            </Text>
          )}
          {rendered && (
            <Text mt="2" fontSize="13px" color="viewer.warn">
              {t('viewer.rendered')}
            </Text>
          )}
        </Box>
      )}
      {drawn && (
        <Box as="section">
          <Title>{t('viewer.measures')}</Title>
          {measures.length ? (
            <MeasureList measures={measures} onRemove={onRemove} />
          ) : (
            <Text fontSize="13px" color="viewer.muted">
              {t('viewer.noMeasures')}
            </Text>
          )}
        </Box>
      )}
      {after}
      {lookedAt && (
        <Flex align="center" gap="2.5" mt="auto" pt="2" fontSize="14px" color="viewer.muted">
          <EyeIcon size={19} aria-hidden />
          <Text>{t('viewer.recorded', { time: formatTime(lookedAt) })}</Text>
        </Flex>
      )}
    </Flex>
  );
}

export { Title as PanelTitle };
