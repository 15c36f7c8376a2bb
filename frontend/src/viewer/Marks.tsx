import { Text } from '@chakra-ui/react';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { memo } from 'react';
import type { Pane } from './engine';
import { markStyle } from './Pane';
import { Live, useShown } from './useShown';
import { windowValue } from './window';

interface Props {
  pane: Pane | undefined;
  facts: FrameFacts | undefined;
  /** The lines of the upper corners: about the patient, and about the picture. */
  left: readonly (string | undefined)[];
  right: readonly (string | undefined)[];
  /** True in a small pane: only the numbers of the picture. */
  short: boolean;
}

const lines = (all: readonly (string | undefined)[]) => all.filter(Boolean).join('\n');

/** The marks in the four corners, as on a real film: in capitals, monospaced, from left to right in every language. */
export const Marks = memo(({ pane, facts, left, right, short }: Props) => {
  const drawn = useShown(pane, ({ state }) => state === 'drawn');
  const thick = facts?.sliceThickness;
  return (
    <>
      {!short && (
        <Text as="span" {...markStyle} top="14px" left="18px">
          {lines(left).toUpperCase()}
        </Text>
      )}
      <Text as="span" {...markStyle} top="14px" right="18px" textAlign="right">
        {lines(right).toUpperCase()}
      </Text>
      {drawn && (
        <>
          <Text as="span" {...markStyle} bottom="14px" left="18px">
            <Live
              pane={pane}
              text={(shown) => {
                const [width, center] = [windowValue(shown.width, shown), windowValue(shown.center, shown)];
                return lines([
                  shown.colour ? undefined : `W ${width} L ${center}`,
                  `ZOOM ${Math.round(shown.zoom * 100)}%`,
                ]);
              }}
            />
          </Text>
          <Text as="span" {...markStyle} bottom="14px" right="18px" textAlign="right">
            <Live
              pane={pane}
              text={({ frame, frames }) =>
                lines([`IM ${frame}/${frames}`, thick ? `SL ${thick.toFixed(1)} mm` : undefined])
              }
            />
          </Text>
        </>
      )}
    </>
  );
});
