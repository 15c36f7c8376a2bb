import { Box, Button, Checkbox, Flex, IconButton, Text } from '@chakra-ui/react';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { TextPlace } from '@lightbox/contract/images/drawing.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import {
  ArrowCounterClockwiseIcon,
  CaretLeftIcon,
  CaretRightIcon,
  PlusIcon,
  TextTIcon,
  TrashIcon,
} from '@phosphor-icons/react';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useReducer, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refreshLists } from '../images/cache';
import { stackOf } from '../images/subject';
import { errorText } from '../lib/errors';
import { ApiError, download, send } from '../lib/http';
import { useAttempt } from '../lib/useAttempt';
import { useObjectUrl } from '../lib/useObjectUrl';
import { LoadFailed } from '../ui/LoadFailed';
import { BlackSurface } from './BlackSurface';
import { around, drawn, inMiddle, nothing, type Size } from './rectangles';

const pictureOf = (id: string, n: number) =>
  queryOptions({
    queryKey: ['blackOut', id, n],
    queryFn: ({ signal }) =>
      download(imageCalls.getFrame, { params: { id, n: String(n) }, query: { rendered: true } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    retry: (count, error) => isPending(error) && count < TRIES,
  });

const isPending = (error: unknown) => error instanceof ApiError && error.code === 'PREVIEW_PENDING';
const TRIES = 20;

interface Props {
  image: Image;
  size: Size;
  /** Places that look like text. */
  found: readonly TextPlace[];
  onMade: (copy: Image) => void;
  onCancel: () => void;
}

/** Asks for the copy until a worker has made it, with one key: one wish makes one copy. */
function useMake(image: Image, onMade: Props['onMade']) {
  const cache = useQueryClient();
  const { keyOf } = useAttempt();
  return useMutation({
    mutationFn: async (body: Parameters<typeof send<typeof imageCalls.blackOut>>[1]['body']) => {
      const key = keyOf(body);
      for (let tries = 1; ; tries++) {
        try {
          return await send(imageCalls.blackOut, { params: { id: image.id }, body }, { idempotencyKey: key });
        } catch (error) {
          if (!isPending(error) || tries >= TRIES) throw error;
          await new Promise((resolve) => setTimeout(resolve, ((error as ApiError).retryAfter ?? 2) * 1_000));
        }
      }
    },
    meta: { silent: true },
    onSuccess: ({ data }) => {
      refreshLists(cache);
      onMade(data);
    },
  });
}

/** Draws black rectangles on a picture, and makes the copy that has them. The original stays as it is. */
export function BlackOut({ image, size, found, onMade, onCancel }: Props) {
  const { t } = useTranslation();
  const frames = image.frames ?? 1;
  const mirrored = document.dir === 'rtl';
  const [frame, setFrame] = useState(1);
  const [drawing, act] = useReducer(drawn, nothing);
  const [noTextLeft, setNoTextLeft] = useState(false);
  const picture = useQuery(pictureOf(image.id, frame));
  const url = useObjectUrl(picture.data);
  const make = useMake(image, onMade);
  const { now, past, selected } = drawing;
  const chosen = selected === null ? undefined : now[selected];
  const go = (to: number) => setFrame(Math.max(1, Math.min(frames, to)));

  return (
    <Flex direction="column" gap="3" data-black-out>
      <Text fontSize="sm" color="fg.muted">
        {t('sharing.blackOut.help')}
        {stackOf(image) && ` ${t('sharing.blackOut.oneOnly')}`}
      </Text>
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
        <Flex align="center" gap="2" wrap="wrap">
          <IconButton
            size="sm"
            variant="outline"
            aria-label={t('sharing.blackOut.previous')}
            disabled={frame === 1}
            onClick={() => go(frame - 1)}
          >
            <CaretLeftIcon mirrored={mirrored} />
          </IconButton>
          <Text fontSize="sm" fontVariantNumeric="tabular-nums" role="status">
            {t('sharing.blackOut.frame', { frame, frames })}
          </Text>
          <IconButton
            size="sm"
            variant="outline"
            aria-label={t('sharing.blackOut.next')}
            disabled={frame === frames}
            onClick={() => go(frame + 1)}
          >
            <CaretRightIcon mirrored={mirrored} />
          </IconButton>
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
        </Flex>
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
      <Checkbox.Root
        minH="touch"
        checked={noTextLeft}
        onCheckedChange={({ checked }) => setNoTextLeft(checked === true)}
      >
        <Checkbox.HiddenInput />
        <Checkbox.Control />
        <Checkbox.Label>{t('sharing.blackOut.noTextLeft')}</Checkbox.Label>
      </Checkbox.Root>
      {make.error && (
        <Text fontSize="sm" color="fg.error" role="alert">
          {errorText(make.error, t('sharing.blackOut.failed'))}
        </Text>
      )}
      <Flex gap="2" justify="flex-end">
        <Button size="sm" variant="outline" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button
          size="sm"
          disabled={now.length === 0}
          loading={make.isPending}
          loadingText={t('sharing.blackOut.making')}
          onClick={() => make.mutate({ rectangles: [...now], caption: t('sharing.blackOut.caption'), noTextLeft })}
        >
          {t('sharing.blackOut.make')}
        </Button>
      </Flex>
    </Flex>
  );
}
