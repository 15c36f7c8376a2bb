import { Box, Text } from '@chakra-ui/react';
import { type PointerEvent, useSyncExternalStore } from 'react';
import type { Pane } from './engine';
import { FADE_MS } from './pointing';
import { useShown } from './useShown';
import type { Together } from './useTogether';

/** One colour for each person, the same at every side. They are apart for people who see few colours. */
const colours = ['#FFC566', '#84BFF0', '#7FD99A', '#F29BC1', '#C9A7F5', '#F4F1BB'];
export const colourOf = (userId: string): string =>
  colours[Number.parseInt(userId.slice(-4), 16) % colours.length] ?? '#FFC566';

/** The pointers of the others with their names, and the lines that everybody draws. They move with the picture. */
export function Pointers({ pane, together }: { pane: Pane; together: Together }) {
  const { pointing, me, nameOf } = together;
  const { pointers, strokes } = useSyncExternalStore(pointing.subscribe, pointing.snapshot);
  useShown(pane, (shown) => shown.drawing);
  const frame = useShown(pane, (shown) => (shown.state === 'drawn' ? shown.frame : 0));
  if (!frame) return null;
  const here = <T extends { frame: number }>(all: readonly T[]) => all.filter((one) => one.frame === frame);
  return (
    <Box position="absolute" inset="0" pointerEvents="none" overflow="hidden" dir="ltr" aria-hidden>
      <Box
        asChild
        position="absolute"
        inset="0"
        boxSize="full"
        css={{
          '@keyframes fadeStroke': { from: { opacity: 1 }, to: { opacity: 0 } },
          '& line': { animation: `fadeStroke ${FADE_MS}ms ease-in forwards` },
          '@media (prefers-reduced-motion: reduce)': { '& line': { animation: 'none' } },
        }}
      >
        <svg aria-hidden>
          {here(strokes).map(({ key, userId, from, to }) => {
            const [a, b] = [pane.placeOf(from), pane.placeOf(to)];
            return (
              a &&
              b && (
                <line
                  key={key}
                  data-stroke={userId}
                  x1={a[0]}
                  y1={a[1]}
                  x2={b[0]}
                  y2={b[1]}
                  stroke={colourOf(userId)}
                  strokeWidth="3"
                  strokeLinecap="round"
                />
              )
            );
          })}
        </svg>
      </Box>
      {here(pointers).map(({ userId, x, y }) => {
        const place = userId === me ? undefined : pane.placeOf([x, y]);
        return (
          place && (
            <Box
              key={userId}
              data-pointer={userId}
              position="absolute"
              style={{ left: place[0], top: place[1], color: colourOf(userId) }}
            >
              <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden style={{ display: 'block' }}>
                <path d="M1 1 L16 8 L9 10 L7 17 Z" fill="currentColor" stroke="#000" strokeWidth="1" />
              </svg>
              <Text
                as="span"
                position="absolute"
                top="16px"
                left="12px"
                px="1.5"
                fontSize="12px"
                fontWeight="600"
                whiteSpace="nowrap"
                color="#05192B"
                borderRadius="4px"
                style={{ background: colourOf(userId) }}
              >
                <bdi>{nameOf(userId)}</bdi>
              </Text>
            </Box>
          )
        );
      })}
    </Box>
  );
}

/** Takes the pointer while the person draws, so that no tool of the picture follows it. */
export function DrawHere({ together }: { together: Together }) {
  const at = ({ currentTarget, clientX, clientY }: PointerEvent, draw: boolean) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    together.point([clientX - left, clientY - top], draw);
  };
  return (
    <Box
      data-draw-here=""
      data-together=""
      position="absolute"
      inset="0"
      zIndex="2"
      cursor="crosshair"
      css={{ touchAction: 'none' }}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        at(event, true);
      }}
      onPointerMove={(event) => at(event, event.buttons !== 0)}
      onPointerUp={(event) => at(event, false)}
    />
  );
}
