import { Box, Grid, VisuallyHidden } from '@chakra-ui/react';
import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { currentLanguage } from '../i18n';
import { useIsDesktop } from '../lib/useMedia';
import { Announced } from './Announced';
import type { Pane as EnginePane } from './engine';
import type { Entry } from './entries';
import { Header } from './Header';
import { KeysDialog } from './KeysDialog';
import { type ActName, commandOf, usesKey } from './keys';
import type { Source } from './layers/layers';
import { KeepStatus, MarkLists, MarksSection } from './layers/MarksSection';
import { useLayers } from './layers/useLayers';
import { focusPresets, Panel } from './Panel';
import { paneActs } from './paneActs';
import { hasHU, presetsIn } from './presets';
import { Rail, type RailAct, type ShownAct } from './Rail';
import { Scrubber } from './Scrubber';
import { CompareWith, SeriesList } from './SeriesList';
import { Sheet, Side } from './Side';
import { EndedStage, Stage } from './Stage';
import type { Subject } from './subject';
import { TagsDialog } from './TagsDialog';
import { useAskable } from './useAskable';
import { useCine } from './useCine';
import { type Company, useCompany } from './useCompany';
import { useEngine, useRendered } from './useEngine';
import { type Layout, useLayout } from './useLayout';
import { useLinked, useReferenceLines } from './useLinked';
import { useDark, useFullScreen } from './useLook';
import { useMeasures } from './useMeasures';
import { shownIn, useShown } from './useShown';
import { useTool } from './useTool';

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

/** The acts that work without a stack on screen. */
const worksAlways: readonly ActName[] = ['keys', 'nextImage', 'previousImage'];
/** The views that need a stack. */
const needsStack: readonly ShownAct[] = ['compare', 'planes', 'presets', 'ask', 'together'];

/** The views that are switched on. */
function viewsOn(layout: Layout, company: Company, full: boolean): ReadonlySet<ShownAct> {
  const { name } = layout.arrangement;
  const states: Partial<Record<ShownAct, boolean>> = {
    compare: name === 'compare',
    planes: name === 'planes',
    fullScreen: full,
    ask: company.asking,
    together: company.isTogether,
  };
  return new Set((Object.keys(states) as ShownAct[]).filter((view) => states[view]));
}

/** The views that the opened file does not have, or that this viewer may not open. */
function viewsWithout(layout: Layout, kind: string | undefined, hidden: readonly ShownAct[], hasTools: boolean) {
  return new Set<ShownAct>([
    ...hidden,
    ...(layout.arrangement.name === 'planes' ? (['ask', 'together'] as const) : []),
    ...(layout.hasPlanes ? [] : (['planes'] as const)),
    ...(kind === 'dicom' || kind === 'report' ? [] : (['tags'] as const)),
    ...(hasTools ? [] : needsStack),
  ]);
}

/** The viewer: tools, panes and panel around the opened images. */
export function Workspace(props: Props) {
  const { subject, entries, start, place: pinned, lookedAt, source, me, ended, neighbours, onRefused } = props;
  const { hidden = [] } = props;
  const desktop = useIsDesktop();
  useDark();
  const hasStack = entries.some(({ kind }) => kind === 'stack');
  const { engine, failed } = useEngine(hasStack && !ended);
  const layout = useLayout(entries, start, engine);
  const { arrangement, active } = layout;
  const places = arrangement.places;
  const [panes, setPanes] = useState<readonly (EnginePane | undefined)[]>([]);
  const pane = panes[active];
  const frames = useShown(pane, (shown) => shown.frames);
  const place = places[active] ?? places[0];
  const entry = place?.entry;
  const facts = entry?.facts;
  const [open, setOpen] = useState({ sheet: false, keys: false, tags: false });
  const set = (change: Partial<typeof open>) => setOpen((now) => ({ ...now, ...change }));
  const tagged = useShown(pane, (shown) => (open.tags ? shown.image : ''));
  const { full, toggle: toggleFull } = useFullScreen();
  const cine = useCine(pane, frames, facts?.frameTime);
  const root = useRef<HTMLDivElement>(null);

  const { tool, choose } = useTool(engine, (place?.frameIds.length ?? 0) > 1);
  const rendered = useRendered(engine, onRefused);
  useEffect(() => {
    if (ended) engine?.forgetPixels();
  }, [ended, engine]);

  const measuring = useMeasures(engine, places);
  const ids = entries.flatMap((one) => (one.kind === 'stack' ? one.images.map(({ id }) => id) : [])).join(' ');
  const images = useMemo(() => new Set(ids ? ids.split(' ') : []), [ids]);
  const layers = useLayers({ engine, source, images, me, ended: ended !== undefined });
  const sides = useMemo(() => places.map(({ frameIds }, i) => ({ pane: panes[i], frameIds })), [places, panes]);
  useLinked(arrangement.name === 'compare' && layout.linked, sides[active], sides[active === 0 ? 1 : 0]);
  useReferenceLines(engine, arrangement.name !== 'one', pane);

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

  const isStack = entry?.kind === 'stack';
  const works = (name: ActName) => !hidden.some((one) => one === name) && (isStack || worksAlways.includes(name));
  const onKeyDown = (event: KeyboardEvent) => {
    // Dialogs are elsewhere in the document, but their events bubble through React.
    if (ended || !root.current?.contains(event.target as Node)) return;
    if (event.defaultPrevented || usesKey(event.target as Element, event.key)) return;
    const command = commandOf(event);
    if (!command || ('act' in command && !works(command.act))) return;
    event.preventDefault();
    if ('tool' in command) choose(command.tool);
    else if ('act' in command) act(command.act);
    else {
      const preset = presetsIn(shownIn(pane), hasHU(facts)).find(({ key }) => key === command.preset);
      if (preset) pane?.setWindow(preset.center, preset.width);
    }
  };

  const hasTools = isStack && !ended && !failed;
  const views = {
    onAct: act,
    on: viewsOn(layout, company, full),
    without: viewsWithout(layout, facts?.kind, hidden, hasTools),
  };
  const rail = hasTools && <Rail tool={tool} onTool={choose} {...views} desktop={desktop} />;
  const marks = { layers, pane, measures: measuring.measures, onRemove: measuring.remove };
  const panel = (
    <Panel
      pane={pane}
      facts={facts}
      marks={
        <MarksSection
          {...marks}
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
          subject={subject}
          onBack={props.onBack}
          onKeys={() => set({ keys: true })}
          {...views}
          neighbours={neighbours}
          desktop={desktop}
        />
      </Box>
      {desktop && rail}
      <Box
        position="relative"
        minW="0"
        minH="0"
        bg="viewer.bg"
        {...(desktop && !hasTools && { gridColumn: ended ? '1 / -1' : '1 / 3' })}
      >
        {ended ? (
          <EndedStage layout={layout} image={start.key} reason={ended} />
        ) : (
          <Stage
            {...{ subject, engine, failed, layout, tool, layers, pane, company, onPane, onRefused }}
            previewOf={props.previewOf}
            onDownload={props.onDownload}
          />
        )}
      </Box>
      {/* At the end nothing of the picture stays: the series have thumbnails, and the marks have names. */}
      {desktop && !ended && <Side>{panel}</Side>}
      {!desktop && rail}
      <Box gridColumn="1 / -1" minW="0">
        {hasTools && <Scrubber pane={pane} playing={cine.playing} onPlay={cine.toggle} />}
      </Box>
      {!desktop && !ended && (
        <Sheet
          open={open.sheet}
          onClose={() => set({ sheet: false })}
          lists={
            <>
              <KeepStatus layers={layers} />
              <MarkLists {...marks} />
            </>
          }
        >
          {panel}
        </Sheet>
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
