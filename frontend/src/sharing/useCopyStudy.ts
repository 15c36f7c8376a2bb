import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refreshLists } from '../images/cache';
import { standIn } from '../images/subject';
import { errorText } from '../lib/errors';
import { send } from '../lib/http';
import { uuid } from '../lib/uuid';
import { copyImage } from './copying';

/** An image to copy, and its number among the images of the study. */
export interface Wanted {
  id: string;
  n: number;
  rectangles: readonly BlackRectangle[];
}

/** A study of copies that is not whole yet: the idempotency key of each image, and the text of each wish that is done. */
interface Begun {
  keys: Map<string, string>;
  studyId?: string;
  done: Map<string, string>;
}

const begin = (): Begun => ({ keys: new Map(), done: new Map() });

class Stopped extends Error {}

/**
 * Copies images of a study, one after the other, into a new study. After a failure the next attempt copies only what is
 * missing. A study that stays without some of its copies is deleted.
 */
export function useCopyStudy(onMade: (study: Image) => void) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [done, setDone] = useState(0);
  const begun = useRef(begin());
  const closed = useRef(false);

  async function discard() {
    const { studyId } = begun.current;
    begun.current = begin();
    if (!studyId) return;
    await send(studyCalls.deleteStudy, { params: { id: studyId }, body: {} });
    refreshLists(cache);
  }
  // A failure leaves the study among the person's own, where they can delete it.
  const discardQuietly = () => void discard().catch(() => undefined);

  const run = useMutation({
    mutationFn: async ({ images, noTextLeft }: { images: readonly Wanted[]; noTextLeft: boolean }) => {
      const wishes = new Map(images.map(({ id, rectangles }) => [id, JSON.stringify([rectangles, noTextLeft])]));
      const isOther = [...begun.current.done].some(([id, wish]) => wishes.get(id) !== wish);
      if (isOther) await discard();
      const now = begun.current;
      for (const { id, n, rectangles } of images) {
        if (now.done.has(id)) continue;
        setDone(now.done.size);
        const study = now.studyId ? { studyId: now.studyId } : { studyTitle: t('sharing.blackOut.studyTitle') };
        const body = {
          rectangles: [...rectangles],
          caption: t('sharing.blackOut.captionOf', { n }),
          noTextLeft,
          ...study,
        };
        const key = now.keys.get(id) ?? uuid();
        now.keys.set(id, key);
        try {
          const copy = await copyImage(id, body, key);
          if (copy.studyId) now.studyId = copy.studyId;
        } catch (error) {
          throw new Error(t('sharing.blackOut.failedAt', { n, reason: errorText(error as Error) }));
        }
        now.done.set(id, wishes.get(id) ?? '');
        if (closed.current) throw new Stopped();
      }
      return (await send(studyCalls.getStudy, { params: { id: now.studyId ?? '' } })).data;
    },
    meta: { silent: true },
    onSuccess: (study) => {
      begun.current = begin();
      refreshLists(cache);
      onMade(standIn(study));
    },
    onError: (error) => {
      if (error instanceof Stopped) discardQuietly();
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
