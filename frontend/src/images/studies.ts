import type { Image } from '@lightbox/contract/images/schemas.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import type { Study } from '@lightbox/contract/studies/schemas.js';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, send } from '../lib/http';
import { change, fetchAnew, reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import { beginRead, dropStudy, findListed, patchStudy, refreshStudy, studies, studyKey } from './cache';
import { useImage } from './images';
import { stackOf, standIn } from './subject';

export const oneStudy = (id: string) =>
  queryOptions({
    queryKey: studyKey(id),
    queryFn: async ({ signal, client }) => {
      try {
        return (await send(studyCalls.getStudy, { params: { id } }, { signal })).data;
      } catch (error) {
        // The study is deleted, or access to it has ended: remove it from the screen.
        if (error instanceof ApiError && error.status === 404) dropStudy(client, id);
        throw error;
      }
    },
  });

export const useStudy = (id: string | undefined) => useQuery({ ...oneStudy(id ?? ''), enabled: Boolean(id) });

interface Subject {
  /** The image, or the one that stands for the study. */
  image: Image | undefined;
  study?: Study | undefined;
  /** The reason why it cannot be read, if there is no earlier answer. */
  error?: Error | null;
  retry: () => void;
}

/** Reads again what a dialog is about. A dialog uses this answer, so that the picture goes when a share ends. */
export function useSubject(asked: Image | undefined): Subject {
  const cache = useQueryClient();
  const stack = asked && stackOf(asked);
  const one = useImage(stack ? undefined : asked?.id);
  const { data: study, error, refetch } = useStudy(stack?.id);
  if (!stack) {
    // Only a list says for which study an image stands.
    const image = one.data && asked?.study ? { ...one.data, study: asked.study } : (one.data ?? asked);
    return { image, error: one.data ? null : one.error, retry: () => void one.refetch() };
  }
  const listed = findListed(cache, (image) => image.study?.id === stack.id)?.image ?? asked;
  return {
    image: study ? onCard(listed, study) : listed,
    study,
    error: study ? null : error,
    retry: () => void refetch(),
  };
}

/** Returns the image of a card as its study now is. The caption and the type are the image's own. */
const onCard = ({ caption, contentType }: Image, study: Study): Image => ({
  ...standIn(study),
  caption,
  contentType,
});

/** Reads a study again, and returns the image that stands for it. */
export async function rereadStudy(cache: QueryClient, id: string): Promise<Image | undefined> {
  try {
    const isOvertaken = beginRead();
    const study = await fetchAnew(cache, oneStudy(id));
    const isNewest = !isOvertaken(study.leadId ?? id);
    patchStudy(cache, id, (card) => {
      const next = onCard(card, study);
      return isNewest ? next : { ...card, study: next.study };
    });
    // An open image of the study may be readable now.
    void reread(cache, ['images', 'one']);
    return findListed(cache, (image) => image.study?.id === id)?.image ?? standIn(study);
  } catch {
    return undefined;
  }
}

export const studyEvents = {
  feeds: [studies],
  'study:complete': ({ studyId }, cache) => refreshStudy(cache, studyId),
  'study:updated': ({ studyId }, cache) => refreshStudy(cache, studyId),
  'study:deleted': ({ studyId }, cache) => dropStudy(cache, studyId),
} satisfies SocketRows;

/** Shows a new title before the server's event arrives. */
export function putTitle(cache: QueryClient, { id, title }: Pick<Study, 'id' | 'title'>) {
  patchStudy(cache, id, (image) => (image.study ? { ...image, study: { ...image.study, title } } : image));
  change<Study>(cache, studyKey(id), (study) => ({ ...study, title }));
}
