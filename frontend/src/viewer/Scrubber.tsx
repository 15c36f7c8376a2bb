import { Flex, IconButton, Text } from '@chakra-ui/react';
import { CaretLeftIcon, CaretRightIcon, PauseIcon, PlayIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Range } from './Range';

const square = {
  size: 'sm',
  variant: 'plain',
  color: 'viewer.text',
  flex: 'none',
  w: { base: '44px', lg: '40px' },
  h: { base: '44px', lg: '40px' },
  _hover: { bg: 'viewer.panel' },
} as const;

interface Props {
  frame: number;
  frames: number;
  playing: boolean;
  onPlay: () => void;
  onGo: (frame: number) => void;
}

/** The bar below the picture: play, the position in the stack, and one frame back or on. Never mirrored. */
export function Scrubber({ frame, frames, playing, onPlay, onGo }: Props) {
  const { t } = useTranslation();
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
        disabled={frame <= 1}
        _disabled={{ bg: 'transparent', color: 'viewer.control' }}
        onClick={() => onGo(frame - 1)}
      >
        <CaretLeftIcon />
      </IconButton>
      <Range
        flex="1"
        min={1}
        max={Math.max(1, frames)}
        value={Math.max(1, frame)}
        disabled={alone}
        aria-label={t('viewer.frames')}
        aria-valuetext={t('viewer.frameOf', { frame, frames })}
        onChange={(event) => onGo(Number(event.currentTarget.value))}
      />
      <IconButton
        {...square}
        aria-label={t('viewer.act.next')}
        disabled={frame >= frames}
        _disabled={{ bg: 'transparent', color: 'viewer.control' }}
        onClick={() => onGo(frame + 1)}
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
        {frame} / {frames}
      </Text>
    </Flex>
  );
}
