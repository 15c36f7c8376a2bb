import { Box, Flex, IconButton, Image, Text } from '@chakra-ui/react';
import { CaretLeftIcon, CaretRightIcon, WarningIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useObjectUrl } from '../lib/useObjectUrl';
import type { FrameRef } from './engine/frameId';
import { isRefusal, renderedFrame } from './frames';
import { Message } from './Message';

interface Props {
  frames: readonly FrameRef[];
  start: number;
  onRefused: () => void;
}

/** Frames or pages as the server draws them, for a browser that cannot draw them itself. */
export function RenderedPages({ frames, start, onRefused }: Props) {
  const { t } = useTranslation();
  const [n, setN] = useState(start + 1);
  const count = frames.length;
  const shown = frames[n - 1] ?? (frames[0] as FrameRef);
  const go = (to: number) => setN(Math.max(1, Math.min(count, to)));
  const { data, error } = useQuery(renderedFrame(shown));
  const url = useObjectUrl(data);
  const [drawn, setDrawn] = useState<string>();
  useEffect(() => {
    if (isRefusal(error)) onRefused();
  }, [error, onRefused]);
  const state = error ? 'failed' : url && drawn === url ? 'drawn' : 'loading';
  return (
    <Box
      data-viewport=""
      data-state={state}
      data-image={shown.id}
      data-frame={n}
      data-frames={count}
      data-zoom={1}
      data-rotation={0}
      data-flipped={false}
      data-inverted={false}
      position="relative"
      minH="0"
      bg="viewer.bg"
      tabIndex={0}
      role="group"
      aria-label={t('viewer.pageOf', { frame: n, frames: count })}
      onWheel={(event) => go(n + Math.sign(event.deltaY))}
      onKeyDown={(event) => {
        const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[event.key];
        if (step) go(n + step);
      }}
      _focusVisible={{ boxShadow: 'inset 0 0 0 3px var(--chakra-colors-accent-focus-ring)', outline: 'none' }}
    >
      {url && !error && (
        <Image
          src={url}
          alt={t('viewer.pageImage', { page: n })}
          position="absolute"
          inset="0"
          boxSize="full"
          objectFit="contain"
          onLoad={() => setDrawn(url)}
        />
      )}
      {error && (
        <Box position="absolute" inset="0" display="grid" placeItems="center">
          <Message Icon={WarningIcon} title={t('viewer.failed')} text={t('viewer.failedText')} />
        </Box>
      )}
      <Flex position="absolute" top="10px" right="10px" align="center" gap="1" dir="ltr" color="viewer.text">
        <IconButton
          size="sm"
          variant="plain"
          color="viewer.text"
          aria-label={t('viewer.pdf.previous')}
          onClick={() => go(n - 1)}
        >
          <CaretLeftIcon />
        </IconButton>
        <Text fontFamily="mono" fontSize="14px">
          {n} / {count}
        </Text>
        <IconButton
          size="sm"
          variant="plain"
          color="viewer.text"
          aria-label={t('viewer.pdf.next')}
          onClick={() => go(n + 1)}
        >
          <CaretRightIcon />
        </IconButton>
      </Flex>
    </Box>
  );
}
