import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refreshLists } from '../images/cache';
import { standIn } from '../images/subject';
import { errorText } from '../lib/errors';
import { ApiError, send } from '../lib/http';
import { uuid } from '../lib/uuid';
import { askForCopy, type CopyWish, copyImage, isPending } from './copying';

/** An image to copy, and its number among the images of the study. */
export interface Wanted {
  id: string;
  n: number;
  rectangles: readonly BlackRectangle[];
}

/** A study of copies that is not whole yet. */
interface Begun {
  studyId?: string;
  /** The number of copies that the server was told to expect. */
  planned?: number;
  /** The text of each wish that is done, by its image. */
  done: Map<string, string>;
  /** The wish whose answer is missing: its copy may have been made. */
  trying?: { id: string; wish: string; body: CopyWish; key: string };
}

const begin = (): Begun => ({ done: new Map() });

/** The server has said no: it made nothing, or what was asked for is gone. */
const isRefusal = (error: unknown) => error instanceof ApiError && error.status >= 400 && error.status < 500;

class Stopped extends Error {}

/**
 * Copies images of a study, one after the other, into a new study. After a failure the next attempt copies only what is
 * missing. A study that stays without some of its copies is deleted: here, or by maintenance when this window is gone.
 */
export function useCopyStudy(onMade: (study: Image) => void) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [done, setDone] = useState(0);
  const begun = useRef(begin());
  const closed = useRef(false);

  async function discard() {
    const { studyId, trying } = begun.current;
    try {
      // Only the answer that was lost names a study that has begun: the same wish is answered with it again.
      const id = studyId ?? (trying && (await askForCopy(trying.id, trying.body, trying.key)).studyId);
      if (id) await send(studyCalls.deleteStudy, { params: { id }, body: {} });
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    begun.current = begin();
    if (studyId || trying) refreshLists(cache);
  }
  // A failure leaves the study among the person's own, where they can delete it.
  const discardQuietly = () => void discard().catch(() => undefined);

  async function copyOne({ id, n, rectangles }: Wanted, noTextLeft: boolean, wish: string, count: number) {
    const now = begun.current;
    const study = now.studyId
      ? { studyId: now.studyId }
      : { studyTitle: t('sharing.blackOut.studyTitle'), studyCopies: count };
    now.planned ??= count;
    const body = { rectangles: [...rectangles], caption: t('sharing.blackOut.captionOf', { n }), noTextLeft, ...study };
    now.trying ??= { id, wish, body, key: uuid() };
    try {
      const copy = await copyImage(id, now.trying.body, now.trying.key);
      if (copy.studyId) now.studyId = copy.studyId;
    } catch (error) {
      if (isRefusal(error) && !isPending(error)) delete now.trying;
      throw new Error(t('sharing.blackOut.failedAt', { n, reason: errorText(error as Error) }));
    }
    delete now.trying;
    now.done.set(id, wish);
  }

  const run = useMutation({
    mutationFn: async ({ images, noTextLeft }: { images: readonly Wanted[]; noTextLeft: boolean }) => {
      const wishes = new Map(images.map(({ id, rectangles }) => [id, JSON.stringify([rectangles, noTextLeft])]));
      const { done: before, trying, planned = images.length } = begun.current;
      const next = images.find(({ id }) => !before.has(id))?.id;
      const isOther =
        planned !== images.length ||
        [...before].some(([id, wish]) => wishes.get(id) !== wish) ||
        (trying && (trying.id !== next || trying.wish !== wishes.get(next)));
      if (isOther) await discard();
      for (const image of images) {
        const { done: made } = begun.current;
        if (made.has(image.id)) continue;
        setDone(made.size);
        await copyOne(image, noTextLeft, wishes.get(image.id) ?? '', images.length);
        if (closed.current) throw new Stopped();
      }
      return (await send(studyCalls.getStudy, { params: { id: begun.current.studyId ?? '' } })).data;
    },
    meta: { silent: 'always' },
    onSuccess: (study) => {
      begun.current = begin();
      refreshLists(cache);
      onMade(standIn(study));
    },
    onError: () => {
      if (closed.current) discardQuietly();
    },
  });

  const running = useRef(false);
  running.current = run.isPending;
  // biome-ignore lint/correctness/useExhaustiveDependencies: at the end of the dialog alone
  useEffect(() => {
    closed.current = false;
    return () => {
      closed.current = true;
      if (!running.current) discardQuietly();
    };
  }, []);

  return { copy: run.mutate, isPending: run.isPending, error: run.error, done };
}
