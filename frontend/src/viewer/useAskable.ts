import { shareCalls } from '@lightbox/contract/sharing/calls.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { send } from '../lib/http';
import { viewerKey } from './keysOfQueries';

/** The image or the study whose shares are meant. */
export type SharesOf = { imageId: string } | { studyId: string };

/** Returns the people whom the viewer may ask and invite: those whom the image names, and all who have opened it. */
export function useAskable(people: readonly UserRef[], sharesOf: SharesOf | undefined): readonly UserRef[] {
  const { data } = useQuery({
    queryKey: [...viewerKey, 'recipients', sharesOf],
    queryFn: async ({ signal }) => (await send(shareCalls.listShares, { query: sharesOf ?? {} }, { signal })).data,
    enabled: sharesOf !== undefined,
  });
  return useMemo(() => {
    const opened = (data ?? []).filter(({ isVerified }) => isVerified).map(({ recipient }) => recipient);
    return [...new Map([...people, ...opened].map((person) => [person.id, person])).values()];
  }, [people, data]);
}
