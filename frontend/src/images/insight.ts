import type { Success } from '@lightbox/contract/envelope.js';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { TimelineEntry } from '@lightbox/contract/images/insight.js';
import { shareCalls } from '@lightbox/contract/sharing/calls.js';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { send } from '../lib/http';
import { copyChangesKey, timelineKey } from './cache';

const PAGE = 20;

/** The events of an image, the newest first. */
export const timelineOf = (imageId: string) =>
  infiniteQueryOptions({
    queryKey: timelineKey(imageId),
    queryFn: ({ pageParam, signal }) =>
      send(
        imageCalls.getTimeline,
        { params: { id: imageId }, query: { limit: PAGE, ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }: Success<TimelineEntry[]>) =>
      pagination?.hasNextPage ? pagination.nextCursor : undefined,
    staleTime: 0,
    gcTime: 0,
  });

/** The people with access to an image, or to a study. */
export const sharesOf = (imageId: string, studyId?: string) =>
  queryOptions({
    queryKey: ['sharing', studyId ?? imageId],
    queryFn: async ({ signal }) =>
      (await send(shareCalls.listShares, { query: studyId ? { studyId } : { imageId } }, { signal })).data,
  });

export const invitations = ['invitations'] as const;

/** The people who are invited to an image or a study and have not registered yet. */
export const invitationsOf = (imageId: string, studyId?: string) =>
  queryOptions({
    queryKey: [...invitations, studyId ?? imageId],
    queryFn: async ({ signal }) =>
      (await send(shareCalls.listInvitations, { query: studyId ? { studyId } : { imageId } }, { signal })).data,
  });

/** The reason why a person may see an image. Each request is recorded, so it is sent on demand and not cached. */
export const whyOf = (imageId: string, userId: string) =>
  queryOptions({
    queryKey: ['why', imageId, userId],
    queryFn: async ({ signal }) =>
      (await send(imageCalls.explainAccess, { params: { id: userId }, query: { imageId } }, { signal })).data,
    gcTime: 0,
  });

/** The differences of the copy without identity that a recipient would get. Each request is recorded: it is sent on demand. */
export const copyChangesOf = (imageId: string) =>
  queryOptions({
    queryKey: copyChangesKey(imageId),
    queryFn: async ({ signal }) =>
      (await send(imageCalls.getDeidentifiedChanges, { params: { id: imageId } }, { signal })).data,
    staleTime: 0,
    // A worker draws a new file soon: nothing can be blacked out before. A busy one tells it later (`image:updated`).
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.frame === null && dataUpdateCount < 5 ? 2_000 : false,
    gcTime: 0,
  });
