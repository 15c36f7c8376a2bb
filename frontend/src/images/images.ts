import { imageCalls } from '@lightbox/contract/images/calls.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Permission } from '@lightbox/contract/permissions.js';
import { keepPreviousData, type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { viewerNow } from '../auth/session';
import { coalesce } from '../lib/coalesce';
import { ApiError, download, type Envelope, send } from '../lib/http';
import { change, fetchAnew, isRead, reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';

export type ListName = 'uploaded' | 'shared';
type ListPage = Envelope<Image[]>;

export interface ListQuery {
  page: number;
  limit: number;
  cursor?: string | undefined;
  /** The newest first, without it. */
  sort?: 'createAt';
}
type May = (permission: Permission) => boolean;

const lists = ['images', 'list'] as const;
const oneKey = (id: string) => ['images', 'one', id] as const;
const contentKey = (id: string) => ['images', 'content', id] as const;
export const timelineKey = (id: string) => ['timeline', id] as const;

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
        // What was shown of it until now is not theirs to see any more.
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

function findListed(cache: QueryClient, matches: (image: Image) => boolean) {
  for (const [key, page] of cache.getQueriesData<ListPage>({ queryKey: lists })) {
    const image = page?.data.find(matches);
    if (image) return { image, at: cache.getQueryState(key)?.dataUpdatedAt };
  }
}

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

export const findShared = (cache: QueryClient, shareId: string) =>
  findListed(cache, (image) => image.shareId === shareId)?.image;

/** Whether a list on the screen shows it. */
export const isListed = (cache: QueryClient, id: string) =>
  cache
    .getQueriesData<ListPage>({ queryKey: lists, type: 'active' })
    .some(([, page]) => page?.data.some((image) => image.id === id));

function patchImages(cache: QueryClient, matches: (image: Image) => boolean, to: (image: Image) => Image) {
  change<ListPage>(cache, lists, (page) =>
    page.data.some(matches) ? { ...page, data: page.data.map((image) => (matches(image) ? to(image) : image)) } : page,
  );
  change<Image>(cache, ['images', 'one'], (image) => (matches(image) ? to(image) : image));
}

export const patchImage = (cache: QueryClient, id: string, to: (image: Image) => Image) =>
  patchImages(cache, (image) => image.id === id, to);

/** Reads the lists on the screen again, once for a burst of events; the others when somebody looks. */
export function refreshLists(cache: QueryClient, name?: ListName) {
  coalesce(`images ${name ?? ''}`, () => void reread(cache, name ? [...lists, name] : lists));
}

/** Something shows it, or may do so in a moment: a list that is being read. */
const mayBeShown = (cache: QueryClient, id: string) =>
  cache.getQueryState(oneKey(id)) !== undefined ||
  findListed(cache, (image) => image.id === id) !== undefined ||
  isRead(cache, lists);

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

/** What somebody keeps of an image that is not theirs to see: no picture, and nothing about a patient. */
const outlineOf = ({
  id,
  caption,
  contentType,
  createAt,
  isShared,
  sharedBy,
  owner,
  shareId,
  expiresAt,
}: Image): Image => ({
  id,
  caption,
  contentType,
  createAt,
  isShared,
  isVerified: false,
  image_url: null,
  ...(sharedBy ? { sharedBy } : {}),
  ...(owner ? { owner } : {}),
  ...(shareId ? { shareId } : {}),
  ...(expiresAt ? { expiresAt } : {}),
});

/** An image that is gone leaves every list, and what was known of it is forgotten. */
export function dropImage(cache: QueryClient, id: string) {
  const listed = isRead(cache, lists) || findListed(cache, (image) => image.id === id) !== undefined;
  change<ListPage>(cache, lists, (page) =>
    page.data.some((image) => image.id === id) ? { ...page, data: page.data.filter((image) => image.id !== id) } : page,
  );
  forgetContents(cache, id);
  cache.removeQueries({ queryKey: oneKey(id), type: 'inactive' });
  // A dialog that shows it right now goes dark.
  change<Image>(cache, oneKey(id), outlineOf);
  // The next page moves up.
  if (listed) refreshLists(cache);
}

/** What somebody looks at right now is left to its screen, or it would be asked for again at once. */
function forgetContents(cache: QueryClient, id: string) {
  for (const queryKey of [contentKey(id), ['analysis', id], ['sharing', id], timelineKey(id)]) {
    cache.removeQueries({ queryKey, type: 'inactive' });
  }
  // The page of its analysis hears from the server why it is over.
  void cache.resetQueries({ queryKey: ['analysis', id] });
}

/** A share that ended: the card stays where it is and goes dark, until the list is read again. */
export function endShare(cache: QueryClient, shareId: string, imageId: string) {
  const at = new Date().toISOString();
  const viewer = viewerNow();
  // Whoever needs no share goes on without it.
  const stays = (image: Image) =>
    imageRules.open(viewer, { ownerId: image.owner?.id ?? 'unknown', patientId: null, share: null });
  patchImages(
    cache,
    (image) => image.shareId === shareId,
    (image) => {
      if (!stays(image))
        return { ...outlineOf(image), expiresAt: image.expiresAt && image.expiresAt < at ? image.expiresAt : at };
      const { shareId: _id, expiresAt: _end, sharedBy: _by, ...rest } = image;
      return rest;
    },
  );
  if (viewer.role !== 'admin') forgetContents(cache, imageId);
}

/** Everything of images that a screen may show. */
export const shownImages = (cache: QueryClient): Image[] => [
  ...cache.getQueriesData<ListPage>({ queryKey: lists }).flatMap(([, page]) => page?.data ?? []),
  ...cache.getQueriesData<Image>({ queryKey: ['images', 'one'] }).flatMap(([, image]) => (image ? [image] : [])),
];

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
