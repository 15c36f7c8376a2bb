import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Permission } from '@lightbox/contract/permissions.js';
import { keepPreviousData, type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { coalesce } from '../lib/coalesce';
import { ApiError, download, send } from '../lib/http';
import { fetchAnew, reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import {
  contentKey,
  dropImage,
  findListed,
  type ListName,
  lists,
  mayBeShown,
  oneKey,
  patchImage,
  refreshLists,
  timelineKey,
} from './cache';

export interface ListQuery {
  page: number;
  limit: number;
  cursor?: string | undefined;
  /** The newest first, without it. */
  sort?: 'createAt';
}
type May = (permission: Permission) => boolean;

/** Which call lists it for this viewer: everybody's, or one's own. */
function source(name: ListName, may: May) {
  if (may('image.listAll')) return { call: imageCalls.listImages, filter: { shared: name === 'shared' } };
  if (name === 'shared') return { call: imageCalls.listSharedImages, filter: {} };
  return { call: imageCalls.listMyImages, filter: { shared: false } };
}

export const mayListUploads = (may: May) => may('image.listAll') || may('image.listOwn');

export const imageList = (name: ListName, query: ListQuery, may: May) =>
  queryOptions({
    queryKey: [...lists, name, query],
    queryFn: ({ signal }) => {
      const { call, filter } = source(name, may);
      return send(call, { query: { ...filter, ...query } }, { signal });
    },
    placeholderData: keepPreviousData,
  });

/** All of one's own, shared or not. */
export const ownImages = (query: ListQuery) =>
  queryOptions({
    queryKey: [...lists, 'own', query],
    queryFn: ({ signal }) => send(imageCalls.listMyImages, { query }, { signal }),
  });

export const oneImage = (id: string) =>
  queryOptions({
    queryKey: oneKey(id),
    queryFn: async ({ signal, client }) => {
      try {
        return (await send(imageCalls.getImage, { params: { id } }, { signal })).data;
      } catch (error) {
        // The image is gone, or access to it has ended: take it off the screen.
        if (error instanceof ApiError && error.status === 404) dropImage(client, id);
        throw error;
      }
    },
  });

/** The original. Kept while somebody looks at it, and no longer. */
export const imageContent = (id: string) =>
  queryOptions({
    queryKey: contentKey(id),
    queryFn: ({ signal }) => download(imageCalls.getImageContent, { params: { id } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** One image; at once when a list on the screen already has it. */
export function useImage(id: string | undefined) {
  const cache = useQueryClient();
  return useQuery({
    ...oneImage(id ?? ''),
    enabled: Boolean(id),
    initialData: () => findListed(cache, (image) => image.id === id)?.image,
    initialDataUpdatedAt: () => findListed(cache, (image) => image.id === id)?.at,
  });
}

/** Reads one image again, if anything shows it, and puts it where the old one was. */
export async function rereadImage(cache: QueryClient, id: string): Promise<Image | undefined> {
  try {
    const fresh = await fetchAnew(cache, oneImage(id));
    patchImage(cache, id, () => fresh);
    return fresh;
  } catch {
    return undefined;
  }
}

export const imageEvents = {
  feeds: [lists, ['images', 'one'], ['timeline']],
  'image:uploaded': (_, cache) => refreshLists(cache, 'uploaded'),
  'image:updated': ({ imagemetadataId }, cache) => {
    if (!mayBeShown(cache, imagemetadataId)) return;
    coalesce(`image ${imagemetadataId}`, () => void rereadImage(cache, imagemetadataId));
  },
  'image:deleted': ({ imagemetadataId }, cache) => dropImage(cache, imagemetadataId),
  'image:activity': ({ imagemetadataId }, cache) => {
    const queryKey = timelineKey(imagemetadataId);
    if (cache.getQueryState(queryKey)) {
      coalesce(`timeline ${imagemetadataId}`, () => void reread(cache, queryKey));
    }
  },
} satisfies SocketRows;

export const firstPage: ListQuery = { page: 1, limit: limits.pageLimit };
