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

/** Reads the lists on the screen again, once for a burst of events; the others when somebody looks. */
export function refreshLists(cache: QueryClient, name?: ListName) {
  coalesce(`images ${name ?? ''}`, () => void reread(cache, name ? [...lists, name] : lists));
}

/** Something shows the image, or may do so in a moment: a list that is being read. */
export const mayBeShown = (cache: QueryClient, id: string) =>
  cache.getQueryState(oneKey(id)) !== undefined ||
  findListed(cache, (image) => image.id === id) !== undefined ||
  isRead(cache, lists);

/** The part of an image that stays when access to it has ended: no picture, and nothing about a patient. */
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

/** Takes a deleted image out of every list and forgets its contents. */
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

/** Contents on the screen are left to that screen, or they would be asked for again at once. */
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
  // An owner or an administrator needs no share.
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
