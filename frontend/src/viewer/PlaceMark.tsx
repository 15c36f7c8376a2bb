import { Box, Text } from '@chakra-ui/react';
import type { Point } from '@lightbox/contract/annotations/measuring.js';
import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n';
import type { Pane } from './engine';
import { isShown } from './place';
import { afterKey, Crosshair } from './useCrosshair';
import { useShown } from './useShown';

/** The mark of a pinned place. It moves with the picture. */
export function PlaceMark({ pane, place }: { pane: Pane; place: PinnedView }) {
  const { t } = useTranslation();
  const drawing = useShown(pane, (shown) => shown.drawing);
  const at = drawing > 0 && isShown(pane, place) ? pane.placeOf([place.x, place.y]) : undefined;
  if (!at) return null;
  return (
    <Box
      data-place=""
      role="img"
      aria-label={t('viewer.ask.mark')}
      position="absolute"
      pointerEvents="none"
      style={{ left: at[0], top: at[1] }}
      boxSize="34px"
      m="-17px"
      borderRadius="full"
      borderWidth="2px"
      borderColor="viewer.warn"
      boxShadow="0 0 0 1px #000, inset 0 0 0 1px #000"
      _after={{
        content: '""',
        position: 'absolute',
        inset: '13px',
        borderRadius: 'full',
        bg: 'viewer.warn',
        boxShadow: '0 0 0 1px #000',
      }}
    />
  );
}

interface Props {
  pane: Pane;
  onChosen: (point: Point) => void;
  onCancel: () => void;
}

/** Lets a person choose a place: by pointer or finger, or by a crosshair that the arrow keys move. */
export function ChoosePlace({ pane, onChosen, onCancel }: Props) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<Point>(() => [pane.element.clientWidth / 2, pane.element.clientHeight / 2]);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  const choose = (point: Point) => {
    const pixel = pane.pixelAt(point);
    if (pixel) onChosen(pixel);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { clientWidth, clientHeight } = pane.element;
    const next = afterKey({ at, points: [] }, event, 1, [clientWidth, clientHeight]);
    if (!next) return;
    event.preventDefault();
    if (next === 'made') choose(at);
    else if (next === 'cancelled') onCancel();
    else setAt(next.at);
  };
  const placeOf = ({ currentTarget, clientX, clientY }: PointerEvent): Point => {
    const { left, top } = currentTarget.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };
  return (
    <Box
      ref={box}
      data-choose-place=""
      position="absolute"
      inset="0"
      zIndex="2"
      tabIndex={0}
      role="application"
      aria-label={t('viewer.ask.choose')}
      cursor="crosshair"
      css={{ touchAction: 'none' }}
      _focusVisible={{ outline: 'none', boxShadow: 'inset 0 0 0 3px var(--chakra-colors-accent-focus-ring)' }}
      onKeyDown={onKeyDown}
      onPointerMove={(event) => setAt(placeOf(event))}
      onPointerDown={(event) => event.stopPropagation()}
      onPointerUp={(event) => choose(placeOf(event))}
    >
      <Crosshair at={at} points={[]} pane={pane} count={1} />
      <Text
        position="absolute"
        top="56px"
        left="50%"
        transform="translateX(-50%)"
        w="max-content"
        maxW="calc(100% - 24px)"
        px="3"
        py="2"
        borderRadius="box"
        bg="viewer.panel"
        color="viewer.text"
        fontSize="14px"
        textAlign="center"
        pointerEvents="none"
        dir={currentLanguage().dir}
      >
        {t('viewer.ask.help')}
      </Text>
    </Box>
  );
}
