import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Permission } from '@lightbox/contract/permissions.js';
import type { Study } from '@lightbox/contract/studies/schemas.js';
import {
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  queryOptions,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { coalesce } from '../lib/coalesce';
import { ApiError, download, send } from '../lib/http';
import { fetchAnew, isRead, reread, rereadWhere } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import {
  beginRead,
  contentKey,
  copyChangesKey,
  dropImage,
  findListed,
  isShown,
  type ListName,
  lists,
  mayBeShown,
  oneKey,
  patchImage,
  refreshLists,
  refreshStudy,
  studies,
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

/** `search`: conditions that narrow the list. They are in the body of the call, never in its address. */
export const imageList = (name: ListName, query: ListQuery, may: May, search: ImageSearch = {}) =>
  queryOptions({
    queryKey: [...lists, name, query, ...(Object.keys(search).length > 0 ? [search] : [])],
    queryFn: ({ signal }) => {
      if (Object.keys(search).length > 0) {
        return send(imageCalls.searchImages, { query, body: { ...search, list: name } }, { signal });
      }
      const { call, filter } = source(name, may);
      return send(call, { query: { ...filter, ...query, grouped: true } }, { signal });
    },
    placeholderData: keepPreviousData,
  });

/** The images of one patient that the viewer may see. */
export const imagesOfPatient = (patientId: string, query: ListQuery) =>
  queryOptions({
    queryKey: [...lists, 'patient', patientId, query],
    queryFn: ({ signal }) => send(imageCalls.searchImages, { query, body: { patientId } }, { signal }),
    placeholderData: keepPreviousData,
  });

/** The viewer's own images, shared or not. */
export const ownImages = (query: ListQuery) =>
  queryOptions({
    queryKey: [...lists, 'own', query],
    queryFn: ({ signal }) => send(imageCalls.listMyImages, { query: { ...query, grouped: true } }, { signal }),
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

/** The preview of an image that a screen shows small. `scope` begins its key: the feature that drops it. */
export const imagePreview = (scope: QueryKey, id: string) =>
  queryOptions({
    queryKey: [...scope, 'preview', id],
    queryFn: ({ signal }) => download(imageCalls.getImagePreview, { params: { id } }, { signal, background: true }),
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
    const isOvertaken = beginRead();
    const fresh = await fetchAnew(cache, oneImage(id));
    // Only a list says for which study an image stands.
    if (!isOvertaken(id)) patchImage(cache, id, ({ study }) => (study ? { ...fresh, study } : fresh));
    return fresh;
  } catch {
    return undefined;
  }
}

export const imageEvents = {
  feeds: [lists, ['images', 'one'], ['timeline']],
  'image:uploaded': ({ studyId }, cache) => (studyId ? refreshStudy(cache, studyId) : refreshLists(cache, 'uploaded')),
  'image:updated': ({ imagemetadataId: id, studyId }, cache) => {
    rereadWhere<{ frame: object | null }>(cache, copyChangesKey(id), ({ frame }) => frame === null);
    rereadWhere<Study>(cache, studies, ({ leadId, image_url }) => leadId === id && !image_url);
    if (studyId && !isShown(cache, id)) return isRead(cache, lists) ? refreshStudy(cache, studyId) : undefined;
    if (!mayBeShown(cache, id)) return;
    coalesce(`image ${id}`, () => void rereadImage(cache, id));
  },
  'image:deleted': ({ imagemetadataId, studyId }, cache) => dropImage(cache, imagemetadataId, studyId),
  'image:activity': ({ imagemetadataId, studyId }, cache) => {
    // An entry about a study is in the timelines of all its images.
    const queryKey = studyId ? ['timeline'] : timelineKey(imagemetadataId);
    if (cache.getQueryCache().find({ queryKey, exact: false })) {
      coalesce(`timeline ${imagemetadataId}`, () => void reread(cache, queryKey));
    }
  },
} satisfies SocketRows;

export const firstPage: ListQuery = { page: 1, limit: limits.pageLimit };
