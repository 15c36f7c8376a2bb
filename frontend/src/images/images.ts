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
  /** Without it, the newest come first. */
  sort?: 'createAt';
}
type May = (permission: Permission) => boolean;

/** Returns the call and the filter that list the images for this viewer: all images, or the viewer's own. */
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

/** The viewer's own images, shared or not. */
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
        // The image is deleted, or access to it has ended: remove it from the screen.
        if (error instanceof ApiError && error.status === 404) dropImage(client, id);
        throw error;
      }
    },
  });

/** The original bytes. The cache drops them as soon as no screen shows them. */
export const imageContent = (id: string) =>
  queryOptions({
    queryKey: contentKey(id),
    queryFn: ({ signal }) => download(imageCalls.getImageContent, { params: { id } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** Reads one image. Returns the image of a cached list until the answer arrives. */
export function useImage(id: string | undefined) {
  const cache = useQueryClient();
  return useQuery({
    ...oneImage(id ?? ''),
    enabled: Boolean(id),
    initialData: () => findListed(cache, (image) => image.id === id)?.image,
    initialDataUpdatedAt: () => findListed(cache, (image) => image.id === id)?.at,
  });
}

/** Reads one image again if it is shown, and replaces it in the cache. */
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
  'study:updated': (_, cache) => refreshLists(cache),
  'study:deleted': (_, cache) => refreshLists(cache),
  'image:activity': ({ imagemetadataId }, cache) => {
    const queryKey = timelineKey(imagemetadataId);
    if (cache.getQueryState(queryKey)) {
      coalesce(`timeline ${imagemetadataId}`, () => void reread(cache, queryKey));
    }
  },
} satisfies SocketRows;

export const firstPage: ListQuery = { page: 1, limit: limits.pageLimit };
