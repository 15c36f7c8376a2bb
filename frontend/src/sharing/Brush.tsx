import { Box, Button, Checkbox, Flex } from '@chakra-ui/react';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { TextPlace } from '@lightbox/contract/images/drawing.js';
import { ArrowCounterClockwiseIcon, PlusIcon, TextTIcon, TrashIcon } from '@phosphor-icons/react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { download } from '../lib/http';
import { useObjectUrl } from '../lib/useObjectUrl';
import { LoadFailed } from '../ui/LoadFailed';
import { BlackSurface } from './BlackSurface';
import { isPending, TRIES } from './copying';
import { type Act, around, type Drawing, inMiddle, type Size } from './rectangles';
import { Steps } from './Steps';

const pictureOf = (id: string, n: number) =>
  queryOptions({
    queryKey: ['blackOut', id, n],
    queryFn: ({ signal }) =>
      download(imageCalls.getFrame, { params: { id, n: String(n) }, query: { rendered: true } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    retry: (count, error) => isPending(error) && count < TRIES,
  });

interface Props {
  imageId: string;
  frames: number;
  size: Size;
  /** Places that look like text. */
  found: readonly TextPlace[];
  drawing: Drawing;
  act: (step: Act) => void;
}

/** Draws black rectangles on the frames of a picture. */
export function Brush({ imageId, frames, size, found, drawing, act }: Props) {
  const { t } = useTranslation();
  const [frame, setFrame] = useState(1);
  const picture = useQuery(pictureOf(imageId, frame));
  const url = useObjectUrl(picture.data);
  const { now, past, selected } = drawing;
  const chosen = selected === null ? undefined : now[selected];

  return (
    <Flex direction="column" gap="3">
      {picture.error && !picture.data ? (
        <LoadFailed text={errorText(picture.error)} onRetry={() => void picture.refetch()} />
      ) : (
        <Box bg="film.bg" borderRadius="film" overflow="hidden" minH="160px" aria-busy={!url} p="14px">
          {url && (
            <BlackSurface size={size} frame={frame} drawing={drawing} act={act}>
              <img
                src={url}
                alt=""
                draggable={false}
                style={{ display: 'block', maxHeight: 'min(46dvh, 420px)', maxWidth: '100%' }}
              />
            </BlackSurface>
          )}
        </Box>
      )}
      {frames > 1 && (
        <Steps
          previous={t('sharing.blackOut.previous')}
          next={t('sharing.blackOut.next')}
          text={t('sharing.blackOut.frame', { frame, frames })}
          isFirst={frame === 1}
          isLast={frame === frames}
          onStep={(by) => setFrame(frame + by)}
        >
          {chosen && (
            <Checkbox.Root
              minH="touch"
              checked={chosen.frame === undefined}
              onCheckedChange={({ checked }) => {
                const { frame: _, ...everywhere } = chosen;
                act({ type: 'change', to: checked === true ? everywhere : { ...everywhere, frame } });
              }}
            >
              <Checkbox.HiddenInput />
              <Checkbox.Control />
              <Checkbox.Label>{t('sharing.blackOut.everyFrame')}</Checkbox.Label>
            </Checkbox.Root>
          )}
        </Steps>
      )}
      <Flex gap="2" wrap="wrap">
        <Button size="sm" variant="outline" onClick={() => act({ type: 'add', rectangles: [inMiddle(size)] })}>
          <PlusIcon />
          {t('sharing.blackOut.add')}
        </Button>
        {found.length > 0 && (
          <Button
            size="sm"
            variant="outline"
            onClick={() => act({ type: 'add', rectangles: found.map((place) => around(place, size)) })}
          >
            <TextTIcon />
            {t('sharing.blackOut.take', { count: found.length })}
          </Button>
        )}
        <Button size="sm" variant="outline" disabled={past.length === 0} onClick={() => act({ type: 'undo' })}>
          <ArrowCounterClockwiseIcon />
          {t('sharing.blackOut.undo')}
        </Button>
        <Button size="sm" variant="outline" disabled={!chosen} onClick={() => act({ type: 'remove' })}>
          <TrashIcon />
          {t('sharing.blackOut.remove')}
        </Button>
      </Flex>
    </Flex>
  );
}
