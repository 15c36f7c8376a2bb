import type { BodyInput, QueryInput } from '@lightbox/contract/call.js';
import { emergencyCalls } from '@lightbox/contract/emergencies/calls.js';
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMay } from '../auth/session';
import { endEmergencyAccess, lists } from '../images/cache';
import { coalesce } from '../lib/coalesce';
import { send } from '../lib/http';
import { reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import { useAttempt } from '../lib/useAttempt';

const all = ['emergencies'] as const;

/** May the viewer open the images of this patient in an emergency, and do they at the moment? */
export const patientEmergency = (id: string) =>
  queryOptions({
    queryKey: [...all, 'patient', id],
    queryFn: async ({ signal }) =>
      (await send(emergencyCalls.getPatientEmergency, { params: { id } }, { signal })).data,
  });

type Page = QueryInput<typeof emergencyCalls.listEmergencyImages>;

/** The images of the patient while the access lasts. The key is that of a list of images, so events change it too. */
export const emergencyImages = (patient: string, query: Page) =>
  queryOptions({
    queryKey: [...lists, 'emergency', patient, query],
    queryFn: ({ signal }) => send(emergencyCalls.listEmergencyImages, { params: { id: patient }, query }, { signal }),
    placeholderData: keepPreviousData,
  });

export const emergencyList = (query: QueryInput<typeof emergencyCalls.listEmergencies>) =>
  queryOptions({
    queryKey: [...all, 'list', query],
    queryFn: ({ signal }) => send(emergencyCalls.listEmergencies, { query }, { signal }),
    placeholderData: keepPreviousData,
  });

/** One access with the looks of its provider. */
export const oneEmergency = (id: string) =>
  queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: async ({ signal }) => (await send(emergencyCalls.getEmergency, { params: { id } }, { signal })).data,
  });

/** Returns the number of accesses that wait for a decision. Without the permission to review, no request is sent. */
export function useWaitingReviews(): number {
  const may = useMay('emergency.review');
  const { data } = useQuery({
    queryKey: [...all, 'waiting'],
    queryFn: async ({ signal }) =>
      (await send(emergencyCalls.countWaitingReviews, {}, { signal, background: true })).data.count,
    enabled: may,
  });
  return data ?? 0;
}

const changed = (cache: QueryClient) => reread(cache, all);

/** Opens the images of a patient. The form shows the errors. */
export function useOpenEmergency(patient: string) {
  const cache = useQueryClient();
  const attempt = useAttempt();
  return useMutation({
    mutationFn: (body: BodyInput<typeof emergencyCalls.openEmergency>) => {
      const idempotencyKey = attempt.keyOf({ patient, body });
      return send(emergencyCalls.openEmergency, { params: { id: patient }, body }, { idempotencyKey });
    },
    meta: { silent: true },
    onSuccess: attempt.forget,
    onError: attempt.refused,
    onSettled: () => changed(cache),
  });
}

export function useEndEmergency(fallback: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => send(emergencyCalls.endEmergency, { params: { id }, body: {} }),
    meta: { fallback },
    onSuccess: (_, id) => endEmergencyAccess(cache, id),
    onSettled: () => changed(cache),
  });
}

export type ReviewAct = 'approve' | 'question' | 'answer';

/** Moves the review on. The form shows the errors. */
export function useReview(id: string, act: ReviewAct) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (text: string) => {
      const params = { id };
      if (act === 'answer') return send(emergencyCalls.answerEmergency, { params, body: { answer: text } });
      if (act === 'question') return send(emergencyCalls.questionEmergency, { params, body: { comment: text } });
      return send(emergencyCalls.approveEmergency, { params, body: text ? { comment: text } : {} });
    },
    meta: { silent: true },
    onSettled: () => changed(cache),
  });
}

const again = (_: unknown, cache: QueryClient) => coalesce('emergencies', () => void changed(cache));

export const emergencyEvents = {
  feeds: [all],
  'emergency:opened': (_, cache) => {
    again(_, cache);
    void reread(cache, ['timeline']);
  },
  'emergency:ended': (event, cache) => {
    endEmergencyAccess(cache, event.emergencyId);
    again(event, cache);
    void reread(cache, ['timeline']);
  },
  'emergency:approved': again,
  'emergency:questioned': again,
  'emergency:answered': again,
  // Emergency access may have been turned on or off.
  'settings:changed': again,
} satisfies SocketRows;
