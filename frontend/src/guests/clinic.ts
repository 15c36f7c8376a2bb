import type { Routes } from '@lightbox/contract/call.js';
import type { settingCalls } from '@lightbox/contract/settings/calls.js';
import { settingRoutes } from '@lightbox/contract/settings/routes.js';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { send } from '../lib/http';

const calls: Routes<Pick<typeof settingCalls, 'getLimits'>> = settingRoutes;

const ofClinic = queryOptions({
  queryKey: ['guest', 'clinic'],
  queryFn: async ({ signal }) => (await send(calls.getLimits, {}, { token: 'none', background: true, signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Returns name and phone number of the clinic; both are empty until they are read, or when nobody has set them. */
export function useClinic(): { clinic: string; phone: string } {
  const { data } = useQuery(ofClinic);
  return { clinic: data?.['clinic.name'] ?? '', phone: data?.['clinic.phone'] ?? '' };
}
