import { Flex, IconButton, Text } from '@chakra-ui/react';
import { CaretLeftIcon, CaretRightIcon, PauseIcon, PlayIcon } from '@phosphor-icons/react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Pane } from './engine';
import { Range, RangeFrame } from './Range';
import { Live, shownIn, useShown } from './useShown';

const square = {
  size: 'sm',
  variant: 'plain',
  color: 'viewer.text',
  flex: 'none',
  w: { base: '44px', lg: '40px' },
  h: { base: '44px', lg: '40px' },
  _hover: { bg: 'viewer.panel' },
} as const;

const goTo = (pane: Pane | undefined, frame: number) => pane?.goTo(frame - 1);

/** The slider of the frame. */
function Position({ pane, frames }: { pane: Pane | undefined; frames: number }) {
  const { t } = useTranslation();
  const frame = useShown(pane, (shown) => shown.frame);
  return (
    <Range
      min={1}
      max={Math.max(1, frames)}
      value={Math.max(1, frame)}
      disabled={frames < 2}
      aria-label={t('viewer.frames')}
      aria-valuetext={t('viewer.frameOf', { frame, frames })}
      onChange={(event) => goTo(pane, Number(event.currentTarget.value))}
    />
  );
}

interface Props {
  pane: Pane | undefined;
  playing: boolean;
  onPlay: () => void;
}

/** The bar below the picture: play, the position in the stack, and one frame back or on. Never mirrored. */
export const Scrubber = memo(({ pane, playing, onPlay }: Props) => {
  const { t } = useTranslation();
  const frames = useShown(pane, (shown) => shown.frames);
  const atStart = useShown(pane, (shown) => shown.frame <= 1);
  const atEnd = useShown(pane, (shown) => shown.frame >= shown.frames);
  const alone = frames < 2;
  const digits = String(frames).length;
  return (
    <Flex
      as="footer"
      dir="ltr"
      align="center"
      gap={{ base: '1', lg: '3' }}
      px={{ base: '2', lg: '5' }}
      h={{ base: '54px', lg: '64px' }}
      pb={{ base: 'env(safe-area-inset-bottom)', lg: '0' }}
      boxSizing="content-box"
      bg="viewer.bar"
      borderTopWidth="1px"
      borderColor="viewer.border"
      color="viewer.text"
    >
      <IconButton
        {...square}
        borderWidth="1px"
        borderColor="viewer.control"
        aria-label={t(playing ? 'viewer.act.pause' : 'viewer.act.play')}
        disabled={alone}
        _disabled={{ bg: 'transparent', color: 'viewer.control', borderColor: 'viewer.border' }}
        onClick={onPlay}
      >
        {playing ? <PauseIcon weight="fill" /> : <PlayIcon weight="fill" />}
      </IconButton>
      <IconButton
        {...square}
        aria-label={t('viewer.act.previous')}
        disabled={atStart}
        _disabled={{ bg: 'transparent', color: 'viewer.control' }}
        onClick={() => goTo(pane, shownIn(pane).frame - 1)}
      >
        <CaretLeftIcon />
      </IconButton>
      <RangeFrame flex="1">
        <Position pane={pane} frames={frames} />
      </RangeFrame>
      <IconButton
        {...square}
        aria-label={t('viewer.act.next')}
        disabled={atEnd}
        _disabled={{ bg: 'transparent', color: 'viewer.control' }}
        onClick={() => goTo(pane, shownIn(pane).frame + 1)}
      >
        <CaretRightIcon />
      </IconButton>
      <Text
        as="span"
        fontFamily="mono"
        fontSize="15px"
        whiteSpace="pre"
        textAlign="end"
        flex="none"
        minW={`${digits * 2 + 3}ch`}
        aria-hidden
      >
        <Live pane={pane} text={(shown) => `${shown.frame} / ${shown.frames}`} />
      </Text>
    </Flex>
  );
});
