import { imageRules } from '@lightbox/contract/images/policy.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { QueryClient } from '@tanstack/react-query';
import { viewerNow } from '../auth/session';
import { coalesce } from '../lib/coalesce';
import type { Envelope } from '../lib/http';
import { change, isRead, reread } from '../lib/live';

/** Changes to the images in the query cache. The queries themselves are in `images.ts`. */

export type ListName = 'uploaded' | 'shared';
type ListPage = Envelope<Image[]>;

export const lists = ['images', 'list'] as const;
export const oneKey = (id: string) => ['images', 'one', id] as const;
export const contentKey = (id: string) => ['images', 'content', id] as const;
export const timelineKey = (id: string) => ['timeline', id] as const;

export function findListed(cache: QueryClient, matches: (image: Image) => boolean) {
  for (const [key, page] of cache.getQueriesData<ListPage>({ queryKey: lists })) {
    const image = page?.data.find(matches);
    if (image) return { image, at: cache.getQueryState(key)?.dataUpdatedAt };
  }
}

/** Returns the images of the cached page of a list that contains the image. */
export function findPageOf(cache: QueryClient, id: string): Image[] | undefined {
  for (const [, page] of cache.getQueriesData<ListPage>({ queryKey: lists })) {
    if (page?.data.some((image) => image.id === id)) return page.data;
  }
  return undefined;
}

export const findShared = (cache: QueryClient, shareId: string) =>
  findListed(cache, (image) => image.shareId === shareId)?.image;

function patchImages(cache: QueryClient, matches: (image: Image) => boolean, to: (image: Image) => Image) {
  change<ListPage>(cache, lists, (page) =>
    page.data.some(matches) ? { ...page, data: page.data.map((image) => (matches(image) ? to(image) : image)) } : page,
  );
  change<Image>(cache, ['images', 'one'], (image) => (matches(image) ? to(image) : image));
}

export const patchImage = (cache: QueryClient, id: string, to: (image: Image) => Image) =>
  patchImages(cache, (image) => image.id === id, to);

/** Reads the visible lists again, once for a burst of events. The other lists are read when they are shown. */
export function refreshLists(cache: QueryClient, name?: ListName) {
  coalesce(`images ${name ?? ''}`, () => void reread(cache, name ? [...lists, name] : lists));
}

/** True when the image is in the cache, or a list that may contain it is being read. */
export const mayBeShown = (cache: QueryClient, id: string) =>
  cache.getQueryState(oneKey(id)) !== undefined ||
  findListed(cache, (image) => image.id === id) !== undefined ||
  isRead(cache, lists);

/** Returns the redacted image, which stays when access has ended: no picture, and nothing about a patient. */
const redacted = ({
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

/** Removes a deleted image from every list, and its contents from the cache. */
export function dropImage(cache: QueryClient, id: string) {
  const listed = isRead(cache, lists) || findListed(cache, (image) => image.id === id) !== undefined;
  change<ListPage>(cache, lists, (page) =>
    page.data.some((image) => image.id === id) ? { ...page, data: page.data.filter((image) => image.id !== id) } : page,
  );
  forgetContents(cache, id);
  cache.removeQueries({ queryKey: oneKey(id), type: 'inactive' });
  // An open dialog must remove the picture.
  change<Image>(cache, oneKey(id), redacted);
  // An image of the next page moves up.
  if (listed) refreshLists(cache);
}

/** Removes only inactive queries: a visible screen would request a removed one again at once. */
function forgetContents(cache: QueryClient, id: string) {
  for (const queryKey of [contentKey(id), ['analysis', id], ['sharing', id], timelineKey(id)]) {
    cache.removeQueries({ queryKey, type: 'inactive' });
  }
  // The open page of the analysis asks the server again and gets the reason for the end.
  void cache.resetQueries({ queryKey: ['analysis', id] });
}

/** Ends a share in the cache: its card stays in place without the picture, until the list is read again. */
export function endShare(cache: QueryClient, shareId: string, imageId: string) {
  const at = new Date().toISOString();
  const viewer = viewerNow();
  // An owner or an administrator needs no share.
  const stays = (image: Image) =>
    imageRules.open(viewer, { ownerId: image.owner?.id ?? 'unknown', patientId: null, share: null });
  patchImages(
    cache,
    (image) => image.shareId === shareId,
    (image) => {
      if (!stays(image))
        return { ...redacted(image), expiresAt: image.expiresAt && image.expiresAt < at ? image.expiresAt : at };
      const { shareId: _id, expiresAt: _end, sharedBy: _by, ...rest } = image;
      return rest;
    },
  );
  if (viewer.role !== 'admin') forgetContents(cache, imageId);
}

/** Returns all images in the cache. */
export const shownImages = (cache: QueryClient): Image[] => [
  ...cache.getQueriesData<ListPage>({ queryKey: lists }).flatMap(([, page]) => page?.data ?? []),
  ...cache.getQueriesData<Image>({ queryKey: ['images', 'one'] }).flatMap(([, image]) => (image ? [image] : [])),
];
