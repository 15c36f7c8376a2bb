import { Box, chakra } from '@chakra-ui/react';
import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import { type Dispatch, type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Act, between, type Corner, corners, type Drawing, moved, resized, type Size } from './rectangles';

interface Props {
  /** The picture of the frame. */
  children: ReactNode;
  size: Size;
  /** The frame that is shown, from 1. */
  frame: number;
  drawing: Drawing;
  act: Dispatch<Act>;
}

/** A movement of the pointer that has begun: a new rectangle, or one that is moved or gets another size. */
interface Movement {
  /** The mouse or the finger. Other fingers change nothing. */
  pointer: number;
  from: readonly [number, number];
  original: BlackRectangle | null;
  corner: Corner | null;
  begun: boolean;
}

/** Pixels of the screen below which a movement is a touch. */
const TOUCH = 4;

const hides = ({ frame }: BlackRectangle, shown: number) => frame === undefined || frame === shown;

/** A frame with its black rectangles, which are drawn by mouse, finger and keys. */
export function BlackSurface({ children, size, frame, drawing, act }: Props) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const movement = useRef<Movement>(null);
  const selectedBox = useRef<HTMLButtonElement>(null);
  const { now, selected } = drawing;
  // A rectangle that was added or chosen gets the keys.
  useEffect(() => {
    if (selected !== null) selectedBox.current?.focus({ preventScroll: true });
  }, [selected]);

  const scale = () => {
    const { width, height } = box.current?.getBoundingClientRect() ?? { width: 1, height: 1 };
    return [size.columns / width, size.rows / height] as const;
  };
  function begin(event: PointerEvent, original: BlackRectangle | null, corner: Corner | null = null) {
    if (event.button !== 0 || !event.isPrimary) return;
    event.stopPropagation();
    box.current?.setPointerCapture(event.pointerId);
    movement.current = {
      pointer: event.pointerId,
      from: [event.clientX, event.clientY],
      original,
      corner,
      begun: false,
    };
  }
  function go(event: PointerEvent) {
    const going = movement.current;
    if (going?.pointer !== event.pointerId) return;
    const [dx, dy] = [event.clientX - going.from[0], event.clientY - going.from[1]];
    if (!going.begun && Math.hypot(dx, dy) < TOUCH) return;
    const [sx, sy] = scale();
    const live = going.begun;
    going.begun = true;
    if (going.original) {
      const to = going.corner
        ? resized(going.original, going.corner, dx * sx, dy * sy, size)
        : moved(going.original, dx * sx, dy * sy, size);
      return act({ type: 'change', to, live });
    }
    const { left, top } = box.current?.getBoundingClientRect() ?? { left: 0, top: 0 };
    const start = [(going.from[0] - left) * sx, (going.from[1] - top) * sy] as const;
    const to = between(start, [start[0] + dx * sx, start[1] + dy * sy], size);
    act(live ? { type: 'change', to, live } : { type: 'add', rectangles: [to] });
  }
  function end(event: PointerEvent) {
    const going = movement.current;
    if (going?.pointer !== event.pointerId) return;
    movement.current = null;
    if (!going.begun && !going.original) act({ type: 'select', at: null });
  }
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
      onPointerDown={(event) => begin(event, null)}
      onPointerMove={go}
      onPointerUp={end}
      onPointerCancel={end}
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
