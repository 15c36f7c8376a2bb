import { Box, Flex, Image as Picture, Text } from '@chakra-ui/react';
import { memo, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Pane as EnginePane } from './engine';
import type { ToolName } from './keys';
import { Overlays } from './Overlays';
import { described } from './shown';
import { useCrosshair } from './useCrosshair';
import type { Engine } from './useEngine';
import { shownIn, useShown } from './useShown';

export const markStyle = {
  position: 'absolute',
  fontFamily: 'mono',
  fontSize: '13px',
  lineHeight: '1.5',
  fontWeight: 'medium',
  color: 'film.text',
  textShadow: '0 0 4px #000, 0 0 2px #000, 0 1px 1px #000',
  pointerEvents: 'none',
  whiteSpace: 'pre',
} as const;

const edgePlaces = {
  top: { top: '14px', left: '50%', transform: 'translateX(-50%)' },
  bottom: { bottom: '58px', left: '50%', transform: 'translateX(-50%)' },
  left: { left: '16px', top: '50%', transform: 'translateY(-50%)' },
  right: { right: '16px', top: '50%', transform: 'translateY(-50%)' },
} as const;

interface Props {
  engine: Engine;
  n: number;
  frameIds: readonly string[];
  start: number;
  active: boolean;
  /** The tool of the keys; the pointer's tool belongs to the engine. */
  tool: ToolName;
  /** True when the patient's directions are known. */
  oriented: boolean;
  /** The server's preview, shown until the pixels are there. */
  preview: string | undefined;
  label: string;
  onPane: (pane: EnginePane | undefined) => void;
  onActivate: () => void;
  /** Returns the marks in the corners. */
  marks: (pane: EnginePane | undefined) => ReactNode;
  /** Returns the marks and pointers of other people. */
  overlay: (pane: EnginePane | undefined) => ReactNode;
  failure: ReactNode;
}

/** Writes the attributes of what a pane shows onto its element at each frame, without rendering the component again. */
function useDescribed(element: RefObject<HTMLElement | null>, pane: EnginePane | undefined) {
  useLayoutEffect(() => {
    const write = () => {
      for (const [name, value] of Object.entries(described(shownIn(pane)))) {
        if (element.current?.getAttribute(name) !== String(value)) element.current?.setAttribute(name, String(value));
      }
    };
    write();
    return pane?.subscribe(write);
  }, [element, pane]);
}

/** The letters at the edges: the directions of the patient. */
const EdgeLetters = memo(({ pane }: { pane: EnginePane | undefined }) => {
  const edges = useShown(pane, (shown) => shown.edges);
  return (
    edges &&
    (['top', 'left', 'right', 'bottom'] as const).map((side) => (
      <Text key={side} as="span" {...markStyle} {...edgePlaces[side]} fontSize="18px">
        {edges[side]}
      </Text>
    ))
  );
});

/** One picture of the viewer: a canvas, the marks on it, and the state for tests. */
export function Pane(props: Props) {
  const { engine, n, frameIds, start, active, tool, oriented, preview, label, onPane, onActivate, marks, failure } =
    props;
  const { overlay } = props;
  const { t } = useTranslation();
  const element = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [pane, setPane] = useState<EnginePane>();
  const given = useRef(onPane);
  given.current = onPane;
  useEffect(() => {
    if (!element.current) return;
    const made = new engine.Pane(element.current);
    setPane(made);
    given.current(made);
    return () => {
      given.current(undefined);
      setPane(undefined);
      made.close();
    };
  }, [engine]);
  // The keys work as soon as the viewer is open, unless a person has gone elsewhere.
  useEffect(() => {
    if (pane && n === 1 && document.activeElement === document.body) frame.current?.focus({ preventScroll: true });
  }, [pane, n]);
  const at = useRef(start);
  at.current = start;
  useEffect(() => {
    if (pane) void pane.open(frameIds, at.current);
  }, [pane, frameIds]);
  useDescribed(frame, pane);
  const state = useShown(pane, (shown) => shown.state);
  const { crosshair, onKeyDown } = useCrosshair(pane, tool);
  return (
    <Box
      ref={frame}
      position="relative"
      minW="0"
      minH="0"
      overflow="hidden"
      bg="viewer.bg"
      tabIndex={0}
      role="group"
      aria-label={`${t('viewer.pane', { n })}: ${label}`}
      onFocus={onActivate}
      onKeyDown={onKeyDown}
      onPointerDownCapture={(event) => event.currentTarget.focus({ preventScroll: true })}
      onContextMenu={(event) => event.preventDefault()}
      outline="none"
      _focusVisible={{ boxShadow: 'inset 0 0 0 3px var(--chakra-colors-accent-focus-ring)', zIndex: 1 }}
      {...(active && { 'data-active': '' })}
    >
      <Box
        ref={element}
        position="absolute"
        inset="0"
        dir="ltr"
        css={{ touchAction: 'none', '& canvas': { display: 'block' } }}
        visibility={state === 'failed' ? 'hidden' : 'visible'}
      />
      {state === 'loading' && preview && (
        <Picture src={preview} alt="" position="absolute" inset="0" boxSize="full" objectFit="contain" />
      )}
      {state === 'drawn' && pane && <Overlays pane={pane} />}
      {crosshair}
      {state === 'drawn' && overlay(pane)}
      {state !== 'failed' && (
        <Box dir="ltr">
          {marks(pane)}
          {oriented && <EdgeLetters pane={pane} />}
        </Box>
      )}
      {state === 'failed' && (
        <Flex position="absolute" inset="0" align="center" justify="center" p="6">
          {failure}
        </Flex>
      )}
      {active && (
        <Box
          position="absolute"
          inset="0"
          pointerEvents="none"
          boxShadow="inset 0 0 0 1px var(--chakra-colors-viewer-active)"
          css={{ '[data-panes="1"] &': { display: 'none' } }}
        />
      )}
    </Box>
  );
}
