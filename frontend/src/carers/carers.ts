import { carerCalls } from '@lightbox/contract/carers/calls.js';
import { keepPreviousData, type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { endCare, lists, rereadCared } from '../images/cache';
import type { ListQuery } from '../images/images';
import { coalesce } from '../lib/coalesce';
import { send } from '../lib/http';
import { reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import { useAttempt } from '../lib/useAttempt';

const all = ['carers'] as const;

/** The viewer's carers, and the patients whom the viewer helps. */
export const carerList = queryOptions({
  queryKey: all,
  queryFn: async ({ signal }) => (await send(carerCalls.listCarers, {}, { signal })).data,
});

/** The images of a patient, for their carer. The key is that of a list of images, so events change it too. */
export const carerImages = (id: string, { page, limit, cursor }: ListQuery) =>
  queryOptions({
    queryKey: [...lists, 'carer', id, { page, limit, cursor }],
    queryFn: ({ signal }) =>
      send(carerCalls.listCarerImages, { params: { id }, query: { page, limit, cursor } }, { signal }),
    placeholderData: keepPreviousData,
  });

const changed = (cache: QueryClient) => reread(cache, all);

/** Names a carer by e-mail address. The form shows the errors. */
export function useNameCarer() {
  const cache = useQueryClient();
  const attempt = useAttempt();
  return useMutation({
    mutationFn: (email: string) =>
      send(carerCalls.nameCarer, { body: { email } }, { idempotencyKey: attempt.keyOf({ email }) }),
    meta: { silent: true },
    onSuccess: attempt.forget,
    onError: attempt.refused,
    onSettled: () => changed(cache),
  });
}

/** Accepts, or ends and declines. */
export function useCarerAct(act: 'acceptCarer' | 'endCarer', fallback: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => send(carerCalls[act], { params: { id }, body: {} }),
    meta: { fallback },
    onSettled: () => changed(cache),
  });
}

const again = (cache: QueryClient) => coalesce('carers', () => void changed(cache));

export const carerEvents = {
  feeds: [all],
  'carer:named': (_, cache) => again(cache),
  'carer:accepted': (_, cache) => again(cache),
  'carer:changed': ({ patientId }, cache) => rereadCared(cache, patientId),
  'carer:ended': ({ patientId }, cache) => {
    endCare(cache, patientId);
    again(cache);
  },
  // Carers may have been turned on or off.
  'settings:changed': (_, cache) => again(cache),
} satisfies SocketRows;
