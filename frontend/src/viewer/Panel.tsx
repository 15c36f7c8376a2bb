import { Box, chakra, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import { rounded } from '@lightbox/contract/annotations/measuring.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { EyeIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { i18n } from '../i18n';
import { formatTime } from '../lib/format';
import type { Pane } from './engine';
import { chosenIn, hasHU, type Preset, presetsIn } from './presets';
import { Range, RangeFrame } from './Range';
import type { Shown } from './shown';
import { Live, shownIn, useShown } from './useShown';
import { centerLimits, stepBetween, widthLimits, windowValue } from './window';

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

interface SliderProps {
  pane: Pane | undefined;
  label: string;
  /** Returns the value of the slider, and its limits. */
  read: (shown: Shown) => number;
  limits: (shown: Shown) => readonly [min: number, max: number];
  onSet: (to: number) => void;
}

/** The part of a slider that follows the picture. */
function SliderRange({ pane, label, read, limits, onSet }: SliderProps) {
  const value = useShown(pane, read);
  const min = useShown(pane, (shown) => limits(shown)[0]);
  const max = useShown(pane, (shown) => limits(shown)[1]);
  return (
    <Range
      aria-label={label}
      min={min}
      max={max}
      value={value}
      step={stepBetween([min, max])}
      onChange={(event) => onSet(Number(event.currentTarget.value))}
    />
  );
}

function Slider(props: SliderProps) {
  const { pane, label, read } = props;
  return (
    <Flex align="center" gap="3" fontSize="14px">
      <Text as="span" w="52px" flex="none" aria-hidden>
        {label}
      </Text>
      <RangeFrame flex="1">
        <SliderRange {...props} />
      </RangeFrame>
      <Text as="output" w="58px" flex="none" fontFamily="mono" textAlign="end" dir="ltr">
        <Live pane={pane} text={(shown) => String(windowValue(read(shown), shown))} />
      </Text>
    </Flex>
  );
}

const widthOf = ({ width }: Shown) => width;
const centerOf = ({ center }: Shown) => center;

function Presets({ pane, inHU }: { pane: Pane | undefined; inHU: boolean }) {
  // The windows of the presets follow the frame. Their names change only with their number.
  const count = useShown(pane, (shown) => presetsIn(shown, inHU).length);
  const chosen = useShown(pane, (shown) => chosenIn(shown, inHU)?.name);
  if (count === 0) return null;
  const choose = (name: Preset['name']) => {
    const preset = presetsIn(shownIn(pane), inHU).find((one) => one.name === name);
    if (preset) pane?.setWindow(preset.center, preset.width);
  };
  return presetsIn(shownIn(pane), inHU).map((preset) => (
    <PresetButton
      key={preset.name}
      preset={preset}
      chosen={chosen === preset.name}
      onChoose={() => choose(preset.name)}
    />
  ));
}

function WindowSection({ pane, inHU }: { pane: Pane | undefined; inHU: boolean }) {
  const { t } = useTranslation();
  return (
    <Box as="section">
      <Title>{t('viewer.window')}</Title>
      <Grid templateColumns="1fr 1fr" gap="2" mb="4">
        <Presets pane={pane} inHU={inHU} />
      </Grid>
      <Slider
        pane={pane}
        label={t('viewer.width')}
        read={widthOf}
        limits={widthLimits}
        onSet={(to) => pane?.setWindow(shownIn(pane).center, to)}
      />
      <Slider
        pane={pane}
        label={t('viewer.level')}
        read={centerOf}
        limits={centerLimits}
        onSet={(to) => pane?.setWindow(to, shownIn(pane).width)}
      />
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

/** The number of frames or pages, once they are known. */
function Count({ pane, facts }: { pane: Pane | undefined; facts: FrameFacts }) {
  const { t } = useTranslation();
  const count = useShown(pane, ({ frames }) => Math.max(frames, facts.frames));
  if (facts.frames === 0) return null;
  return (
    <Fact name={t(facts.kind === 'pdf' ? 'viewer.pages' : 'viewer.frames')} mono>
      {count}
    </Fact>
  );
}

function PictureSection({ pane, facts, rendered }: Pick<Props, 'pane' | 'rendered'> & { facts: FrameFacts }) {
  const { t } = useTranslation();
  const byServer = useShown(pane, ({ image }) => rendered.has(image));
  const drawn = isDrawn(facts);
  // A report has none of these facts.
  if (!drawn && facts.frames === 0 && !facts.bodyPart && !(facts.columns && facts.rows)) return null;
  return (
    <Box as="section">
      <Title>{t('viewer.picture')}</Title>
      <Grid as="dl" templateColumns="auto 1fr" columnGap="4" rowGap="2.5" fontSize="14px">
        {facts.bodyPart && <Fact name={t('viewer.bodyPart')}>{facts.bodyPart}</Fact>}
        {facts.columns && facts.rows && (
          <Fact name={t('viewer.size')} mono>
            {facts.columns} × {facts.rows}
          </Fact>
        )}
        <Count pane={pane} facts={facts} />
        {drawn && <Fact name={t('viewer.spacing')}>{spacingText(facts)}</Fact>}
      </Grid>
      {facts.spacingAt === 'detector' && (
        <Text mt="2" fontSize="13px" color="viewer.warn">
          {t('viewer.detectorText')}
        </Text>
      )}
      {byServer && (
        <Text mt="2" fontSize="13px" color="viewer.warn">
          {t('viewer.rendered')}
        </Text>
      )}
    </Box>
  );
}

interface Props {
  pane: Pane | undefined;
  facts: FrameFacts | undefined;
  /** The section of the marks on the picture. */
  marks: ReactNode;
  /** The moment at which the server recorded this look. */
  lookedAt: number | undefined;
  /** More sections: the series of a study, the choice of the second picture. */
  before?: ReactNode;
  after?: ReactNode;
  /** The images that the server draws. */
  rendered: ReadonlySet<string>;
}

const isDrawn = ({ kind }: FrameFacts) => kind === 'dicom' || kind === 'picture';

/** The panel beside the picture: window, facts, measurements. On a phone it is a sheet. */
export function Panel({ pane, facts, marks, lookedAt, before, after, rendered }: Props) {
  const { t } = useTranslation();
  const hasWindow = useShown(pane, ({ colour, sent }) => !colour && sent !== undefined);
  const drawn = facts && isDrawn(facts);
  return (
    <Flex direction="column" gap="6" color="viewer.text" flex="1">
      {before}
      {drawn && hasWindow && <WindowSection pane={pane} inHU={hasHU(facts)} />}
      {facts && <PictureSection pane={pane} facts={facts} rendered={rendered} />}
      {drawn && (
        <Box as="section">
          <Title>{t('viewer.marks.title')}</Title>
          {marks}
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

/** Moves the focus to the chosen preset, or to the first one. */
export function focusPresets(root: HTMLElement | null) {
  const [chosen, first] = ['[data-preset][aria-pressed=true]', '[data-preset]'].map((one) =>
    root?.querySelector<HTMLElement>(one),
  );
  (chosen ?? first)?.focus();
}
