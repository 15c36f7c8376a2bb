import { Box, chakra } from '@chakra-ui/react';
import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import { type Dispatch, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Act, corners, type Drawing, moved, resized, type Size } from './rectangles';
import { useDrag } from './useDrag';

interface Props {
  /** The picture of the frame. */
  children: ReactNode;
  size: Size;
  /** The frame that is shown, from 1. */
  frame: number;
  drawing: Drawing;
  act: Dispatch<Act>;
}

const hides = ({ frame }: BlackRectangle, shown: number) => frame === undefined || frame === shown;

/** A frame with its black rectangles, which are drawn by mouse, finger and keys. */
export function BlackSurface({ children, size, frame, drawing, act }: Props) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const selectedBox = useRef<HTMLButtonElement>(null);
  const { now, selected } = drawing;
  // A rectangle that was added or chosen gets the keys.
  useEffect(() => {
    if (selected !== null) selectedBox.current?.focus({ preventScroll: true });
  }, [selected]);

  const { begin, handlers } = useDrag(box, size, act);
  function press(event: KeyboardEvent, one: BlackRectangle) {
    if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      return act({ type: 'remove' });
    }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const [dx = 0, dy = 0] = way;
    // With the control key, pixel by pixel.
    const fine = event.ctrlKey || event.metaKey;
    const x = dx * (fine ? 1 : Math.max(1, size.columns / 50));
    const y = dy * (fine ? 1 : Math.max(1, size.rows / 50));
    act({ type: 'change', to: event.shiftKey ? resized(one, 'x1 y1', x, y, size) : moved(one, x, y, size) });
  }

  return (
    <Box
      ref={box}
      position="relative"
      w="fit-content"
      mx="auto"
      // Places are counted from the left in every language.
      dir="ltr"
      cursor="crosshair"
      touchAction="none"
      userSelect="none"
      role="group"
      aria-label={t('sharing.blackOut.surface')}
      data-black-surface
      {...handlers}
    >
      {children}
      {now.map((one, i) => {
        if (!hides(one, frame)) return null;
        const isSelected = i === selected;
        const place = { n: i + 1, x: one.x0, y: one.y0, width: one.x1 - one.x0, height: one.y1 - one.y0 };
        return (
          <chakra.button
            // biome-ignore lint/suspicious/noArrayIndexKey: rectangles have no other identity, and their order stays
            key={i}
            ref={isSelected ? selectedBox : undefined}
            type="button"
            data-black
            aria-pressed={isSelected}
            aria-label={t('sharing.blackOut.rectangle', place)}
            position="absolute"
            cursor="move"
            // The place can be seen while it is chosen.
            opacity={isSelected ? 0.7 : 1}
            outline={isSelected ? '2px solid' : '1px solid'}
            outlineColor={isSelected ? 'accent.solid' : 'whiteAlpha.700'}
            style={{
              background: '#000',
              left: `${(one.x0 / size.columns) * 100}%`,
              top: `${(one.y0 / size.rows) * 100}%`,
              width: `${((one.x1 - one.x0) / size.columns) * 100}%`,
              height: `${((one.y1 - one.y0) / size.rows) * 100}%`,
            }}
            onFocus={() => !isSelected && act({ type: 'select', at: i })}
            onKeyDown={(event) => press(event, one)}
            onPointerDown={(event) => {
              act({ type: 'select', at: i });
              begin(event, one);
            }}
          >
            {isSelected &&
              corners.map((corner) => (
                <Box
                  key={corner}
                  as="span"
                  data-corner={corner}
                  position="absolute"
                  boxSize="28px"
                  m="-14px"
                  left={corner.startsWith('x0') ? '0' : '100%'}
                  top={corner.endsWith('y0') ? '0' : '100%'}
                  cursor={corner === 'x0 y0' || corner === 'x1 y1' ? 'nwse-resize' : 'nesw-resize'}
                  onPointerDown={(event) => begin(event, one, corner)}
                  _after={{
                    content: '""',
                    position: 'absolute',
                    inset: '9px',
                    borderRadius: 'full',
                    bg: 'accent.solid',
                    borderWidth: '1px',
                    borderColor: 'white',
                  }}
                />
              ))}
          </chakra.button>
        );
      })}
    </Box>
  );
}
