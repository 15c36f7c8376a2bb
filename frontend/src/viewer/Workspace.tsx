import { Box, Flex, Grid, VisuallyHidden } from '@chakra-ui/react';
import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { WarningIcon } from '@phosphor-icons/react';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n';
import { useIsDesktop } from '../lib/useMedia';
import { SidePanel } from '../ui/SidePanel';
import { Announced } from './Announced';
import { Document } from './Document';
import type { Pane as EnginePane } from './engine';
import type { Entry } from './entries';
import { Header } from './Header';
import { KeysDialog } from './KeysDialog';
import { commandOf, type ToolName, usesKey } from './keys';
import { ArrowText } from './layers/ArrowText';
import type { Source } from './layers/layers';
import { KeepStatus, MarkLists, MarksSection } from './layers/MarksSection';
import { useLayers } from './layers/useLayers';
import { Marks } from './Marks';
import { Message } from './Message';
import { NotForDiagnosis } from './NotForDiagnosis';
import { Pane } from './Pane';
import { focusPresets, Panel } from './Panel';
import { Panes } from './Panes';
import { paneActs } from './paneActs';
import { hasHU, presetsIn } from './presets';
import { Rail, type RailAct, type ShownAct } from './Rail';
import { Scrubber } from './Scrubber';
import { CompareWith, SeriesList } from './SeriesList';
import { described, nothingShown } from './shown';
import { TagsDialog } from './TagsDialog';
import { type SharesOf, useAskable } from './useAskable';
import { useCine } from './useCine';
import { useCompany } from './useCompany';
import { useEngine } from './useEngine';
import { useLayout } from './useLayout';
import { useLinked } from './useLinked';
import { useDark, useFullScreen } from './useLook';
import { useMeasures } from './useMeasures';
import { shownIn, useShown } from './useShown';

export interface Subject {
  title: string;
  sub: ReactNode;
  badge: ReactNode;
  countdown: ReactNode;
  aiPath?: string | undefined;
  /** Sections at the end of the panel. */
  about: ReactNode;
  /** The people whom the viewer may ask about the image, and invite to look. */
  people: readonly UserRef[];
  /** Present when more people have access than `people` names. */
  sharesOf?: SharesOf | undefined;
  /** The lines of the upper left corner of the picture. */
  marks: readonly (string | undefined)[];
  /** The text of the upper right corner besides modality and body part. */
  seen?: string | undefined;
}

interface Props {
  subject: Subject;
  entries: readonly Entry[];
  /** The entry and the position in it, from 0, that are shown first. */
  start: { key: string; at: number };
  /** A place that is shown first, with its mark. */
  place?: PinnedView | undefined;
  /** Returns the server's preview of an image. */
  previewOf: (imageId: string) => string | undefined;
  lookedAt: number | undefined;
  /** The image or the study whose marks are shown, and the signed-in person who may keep some. */
  source: Source | undefined;
  me?: string | undefined;
  /** Why there is no picture any more. */
  ended: ReactNode | undefined;
  /** Absent where there is no screen to go back to. */
  onBack?: (() => void) | undefined;
  neighbours: { previous?: (() => void) | undefined; next?: (() => void) | undefined };
  /** Absent when the viewer may not have the original files: the server then draws documents. */
  onDownload?: ((imageId: string) => void) | undefined;
  /** Views that this viewer may not open. */
  hidden?: readonly ShownAct[];
  /** The images that the server refused or that it draws itself. */
  onRefused: () => void;
}

/** The viewer: tools, panes and panel around the opened images. */
export function Workspace(props: Props) {
  const {
    subject,
    entries,
    start,
    place: pinned,
    previewOf,
    lookedAt,
    source,
    me,
    ended,
    onBack,
    neighbours,
    onDownload,
    onRefused,
    hidden = [],
  } = props;
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  useDark();
  const hasStack = entries.some(({ kind }) => kind === 'stack');
  const { engine, failed } = useEngine(hasStack && !ended);
  const layout = useLayout(entries, start, engine);
  const { arrangement, active, setActive } = layout;
  const places = arrangement.places;
  const [panes, setPanes] = useState<readonly (EnginePane | undefined)[]>([]);
  const pane = panes[active];
  const frames = useShown(pane, (shown) => shown.frames);
  const place = places[active] ?? places[0];
  const entry = place?.entry;
  const facts = entry?.facts;
  const [tool, setTool] = useState<ToolName>('window');
  const [open, setOpen] = useState({ sheet: false, keys: false, tags: false });
  const set = (change: Partial<typeof open>) => setOpen((now) => ({ ...now, ...change }));
  const tagged = useShown(pane, (shown) => (open.tags ? shown.image : ''));
  const [rendered, setRendered] = useState<ReadonlySet<string>>(new Set());
  const { full, toggle: toggleFull } = useFullScreen();
  const cine = useCine(pane, frames, facts?.frameTime);
  const root = useRef<HTMLDivElement>(null);

  // One finger goes through a stack, as people swipe; a mouse has a wheel for it.
  const coarse = useRef(matchMedia('(pointer: coarse)').matches);
  const chosenByPerson = useRef(false);
  useEffect(() => {
    if (!engine) return;
    if (!chosenByPerson.current && coarse.current && (place?.frameIds.length ?? 0) > 1) setTool('scroll');
  }, [engine, place]);
  useEffect(() => engine?.choose(tool), [engine, tool]);
  useEffect(
    () =>
      engine?.listen({
        refused: onRefused,
        rendered: (id) => setRendered((now) => (now.has(id) ? now : new Set([...now, id]))),
      }),
    [engine, onRefused],
  );
  useEffect(() => {
    if (ended) engine?.forgetPixels();
  }, [ended, engine]);
  useEffect(() => engine?.use(), [engine]);

  const measuring = useMeasures(engine, places.flatMap(({ frameIds }) => frameIds).length ? places : undefined);
  const ids = entries.flatMap((one) => (one.kind === 'stack' ? one.images.map(({ id }) => id) : [])).join(' ');
  const images = useMemo(() => new Set(ids ? ids.split(' ') : []), [ids]);
  const layers = useLayers({ engine, source, images, me, ended: ended !== undefined });
  const sides = useMemo(() => places.map(({ frameIds }, i) => ({ pane: panes[i], frameIds })), [places, panes]);
  useLinked(arrangement.name === 'compare' && layout.linked, sides[active], sides[active === 0 ? 1 : 0]);
  useEffect(() => {
    if (arrangement.name === 'one') return engine?.referTo(undefined);
    const refer = () => shownIn(pane).drawing > 0 && engine?.referTo(pane?.id);
    refer();
    return pane?.subscribe(refer);
  }, [engine, arrangement.name, pane]);

  const company = useCompany({
    ...(arrangement.name !== 'planes' && !ended && { entry: places[0]?.entry, shared: panes[0], active: pane }),
    place: pinned,
    people: useAskable(subject.people, subject.sharesOf),
    isGuest: hidden.includes('together'),
  });

  const onPane = useCallback((i: number, made: EnginePane | undefined) => {
    setPanes((now) => {
      const next = [...now];
      next[i] = made;
      return next;
    });
  }, []);

  const act = (name: RailAct) => {
    const go: Partial<Record<RailAct, () => void>> = {
      ...paneActs(pane, frames),
      play: cine.toggle,
      tags: () => set({ tags: true }),
      compare: layout.toggleCompare,
      planes: layout.togglePlanes,
      presets: () => (desktop ? focusPresets(root.current) : set({ sheet: true })),
      fullScreen: toggleFull,
      ask: company.toggleAsking,
      together: company.toggleTogether,
      keys: () => set({ keys: true }),
      cancel: () => (measuring.cancel() ? undefined : arrangement.name !== 'one' && layout.single()),
      removeMeasure: measuring.removeLast,
      undo: layers.undo,
      nextImage: () => neighbours.next?.(),
      previousImage: () => neighbours.previous?.(),
    };
    go[name]?.();
  };

  const onKeyDown = (event: React.KeyboardEvent) => {
    // Dialogs are elsewhere in the document, but their events bubble through React.
    if (ended || !root.current?.contains(event.target as Node)) return;
    if (event.defaultPrevented || usesKey(event.target as Element, event.key)) return;
    const command = commandOf(event);
    if (!command) return;
    if ('act' in command && (hidden as readonly string[]).includes(command.act)) return;
    if ('act' in command && entry?.kind !== 'stack' && !['keys', 'nextImage', 'previousImage'].includes(command.act)) {
      return;
    }
    event.preventDefault();
    if ('tool' in command) chooseTool(command.tool);
    else if ('act' in command) act(command.act);
    else {
      const preset = presetsIn(shownIn(pane), hasHU(facts)).find(({ key }) => key === command.preset);
      if (preset) pane?.setWindow(preset.center, preset.width);
    }
  };
  const chooseTool = (name: ToolName) => {
    chosenByPerson.current = true;
    setTool(name);
  };

  const on = new Set<ShownAct>([
    ...(arrangement.name === 'compare' ? (['compare'] as const) : []),
    ...(arrangement.name === 'planes' ? (['planes'] as const) : []),
    ...(full ? (['fullScreen'] as const) : []),
    ...(company.asking ? (['ask'] as const) : []),
    ...(company.isTogether ? (['together'] as const) : []),
  ]);
  const without = new Set<ShownAct | ToolName>([
    ...hidden,
    ...(arrangement.name === 'planes' ? (['ask', 'together'] as const) : []),
    ...(layout.hasPlanes ? [] : (['planes'] as const)),
    ...(facts?.kind === 'dicom' || facts?.kind === 'report' ? [] : (['tags'] as const)),
  ]);
  const panel = (
    <Panel
      pane={pane}
      facts={facts}
      marks={
        <MarksSection
          layers={layers}
          measures={measuring.measures}
          onRemove={measuring.remove}
          exports={me !== undefined && facts?.kind === 'dicom'}
          onCuts={arrangement.name === 'planes'}
        />
      }
      lookedAt={lookedAt}
      rendered={rendered}
      before={
        arrangement.name === 'compare' ? (
          <CompareWith entries={entries} layout={layout} />
        ) : (
          entries.length > 1 && <SeriesList entries={entries} layout={layout} />
        )
      }
      after={
        <>
          {!desktop && subject.countdown}
          {subject.about}
        </>
      }
    />
  );
  const isStack = entry?.kind === 'stack';
  const useTools = isStack && !ended && !failed;
  return (
    <Grid
      as="main"
      ref={root}
      onKeyDown={onKeyDown}
      {...company.watching}
      dir="ltr"
      // Texts for screen readers stand outside the flow: without a position here, they would widen the page.
      position="relative"
      h="100dvh"
      overflow="hidden"
      bg="viewer.bg"
      templateColumns={desktop ? '92px minmax(0, 1fr) 316px' : 'minmax(0, 1fr)'}
      templateRows={desktop ? 'auto minmax(0, 1fr) auto' : 'auto minmax(0, 1fr) auto auto'}
    >
      <Box gridColumn="1 / -1" minW="0" dir={currentLanguage().dir}>
        <Header
          {...{ title: subject.title, sub: subject.sub, badge: subject.badge, countdown: subject.countdown }}
          aiPath={subject.aiPath}
          onBack={onBack}
          onKeys={() => set({ keys: true })}
          onAct={act}
          on={on}
          without={useTools ? without : new Set(['compare', 'planes', 'presets', 'ask', 'together', ...without])}
          neighbours={neighbours}
          desktop={desktop}
        />
      </Box>
      {useTools && desktop && <Rail tool={tool} onTool={chooseTool} onAct={act} on={on} without={without} desktop />}
      <Box
        position="relative"
        minW="0"
        minH="0"
        bg="viewer.bg"
        {...(desktop && !useTools && { gridColumn: ended ? '1 / -1' : '1 / 3' })}
      >
        <Panes arrangement={arrangement}>
          {ended ? (
            <Box
              {...described({ ...nothingShown, state: 'failed', image: start.key })}
              display="grid"
              placeItems="center"
              bg="viewer.bg"
              dir={currentLanguage().dir}
            >
              {ended}
            </Box>
          ) : (
            places.map(({ pane: slot, key, entry: one, frameIds, plane, at }, i) =>
              one.kind === 'stack' && engine ? (
                <Pane
                  key={slot}
                  engine={engine}
                  n={i + 1}
                  frameIds={frameIds}
                  start={at}
                  active={i === active}
                  tool={tool}
                  oriented={Boolean(one.facts.orientation ?? one.facts.perFrame?.[0]?.orientation)}
                  preview={previewOf(one.key)}
                  label={plane ? t(`viewer.plane.${plane}`) : one.label}
                  onPane={(made) => onPane(i, made)}
                  onActivate={() => setActive(i)}
                  overlay={company.overlay}
                  marks={(made) => (
                    <Marks
                      pane={made}
                      facts={plane ? undefined : one.facts}
                      left={subject.marks}
                      right={
                        plane
                          ? [t(`viewer.plane.${plane}`)]
                          : [
                              [one.modality, one.facts.bodyPart].filter(Boolean).join(' '),
                              desktop ? one.label : undefined,
                              subject.seen,
                            ]
                      }
                      short={places.length > 1}
                    />
                  )}
                  failure={
                    <Message
                      Icon={WarningIcon}
                      title={t('viewer.failed')}
                      text={t('viewer.failedText')}
                      act={onDownload && { label: t('viewer.download'), onClick: () => onDownload(one.key) }}
                    />
                  }
                />
              ) : (
                <Document
                  key={key}
                  entry={one}
                  waiting={one.kind === 'stack' && !failed}
                  preview={previewOf(one.key)}
                  start={at}
                  onDownload={onDownload && (() => onDownload(one.key))}
                  onRefused={onRefused}
                />
              ),
            )
          )}
        </Panes>
        {!ended && layers.editing !== undefined && (
          <ArrowText
            key={layers.editing}
            text={layers.textAt(layers.editing)}
            onDone={(text) => {
              if (layers.editing) layers.setText(layers.editing, text);
              layers.edit(undefined);
            }}
            onClose={() => layers.edit(undefined)}
          />
        )}
        {!ended && company.bar}
        {!ended && <NotForDiagnosis panes={places.length} desktop={desktop} />}
      </Box>
      {/* At the end nothing of the picture stays: the series have thumbnails, and the marks have names. */}
      {desktop && !ended && (
        <Flex
          as="aside"
          aria-label={t('viewer.panel')}
          dir={currentLanguage().dir}
          bg="viewer.panel"
          borderLeftWidth="1px"
          borderColor="viewer.border"
          p="5"
          overflowY="auto"
          minH="0"
          tabIndex={0}
          _focusVisible={{ boxShadow: 'inset 0 0 0 3px var(--chakra-colors-accent-focus-ring)', outline: 'none' }}
        >
          {panel}
        </Flex>
      )}
      {!desktop && useTools && (
        <Rail tool={tool} onTool={chooseTool} onAct={act} on={on} without={without} desktop={false} />
      )}
      <Box gridColumn="1 / -1" minW="0">
        {useTools && <Scrubber pane={pane} playing={cine.playing} onPlay={cine.toggle} />}
      </Box>
      {!desktop && !ended && (
        <SidePanel
          open={open.sheet}
          onClose={() => set({ sheet: false })}
          placement="bottom"
          title={t('viewer.panel')}
          bg="viewer.panel"
        >
          <Box px="5" pb="6" overflowY="auto">
            {panel}
          </Box>
        </SidePanel>
      )}
      {!desktop && !ended && !open.sheet && (
        <VisuallyHidden>
          <KeepStatus layers={layers} />
          <MarkLists layers={layers} measures={measuring.measures} onRemove={measuring.remove} />
        </VisuallyHidden>
      )}
      <VisuallyHidden role="status" aria-live="polite">
        {!ended && <Announced pane={pane} />}
      </VisuallyHidden>
      {company.dialog}
      <KeysDialog open={open.keys} onClose={() => set({ keys: false })} />
      <TagsDialog
        imageId={open.tags && !ended ? tagged || entry?.key : undefined}
        onClose={() => set({ tags: false })}
      />
    </Grid>
  );
}
