import { limits } from '@lightbox/contract/limits.js';
import type { ShareAccess } from '@lightbox/contract/sharing/calls.js';
import type { QueryClient } from '@tanstack/react-query';
import { session } from '../auth/session';
import { endShare, findShared, refreshLists } from '../images/cache';
import { rereadImage } from '../images/images';
import { sharesOf } from '../images/insight';
import { coalesce } from '../lib/coalesce';
import { change, reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';

export const patchShares = (cache: QueryClient, imageId: string, to: (shares: ShareAccess[]) => ShareAccess[]) =>
  change(cache, sharesOf(imageId).queryKey, to);

export const refreshShares = (cache: QueryClient, imageId: string) =>
  coalesce(`shares ${imageId}`, () => void reread(cache, sharesOf(imageId).queryKey));

const hour = 3_600_000;

/** Returns the duration of a share in hours, to repeat it. A permanent share gets the default. */
export function hoursOf({ createAt, expiresAt }: Pick<ShareAccess, 'createAt' | 'expiresAt'>, usual: number): number {
  if (!expiresAt) return usual;
  const hours = Math.round((Date.parse(expiresAt) - Date.parse(createAt)) / hour);
  return Math.min(limits.shareHoursMax, Math.max(1, hours));
}

function ended(cache: QueryClient, share: { sharingRequestId: string; imagemetadataId: string; createdfor: string }) {
  const { sharingRequestId, imagemetadataId } = share;
  patchShares(cache, imagemetadataId, (shares) => shares.filter(({ id }) => id !== sharingRequestId));
  if (share.createdfor === session().user?.id) endShare(cache, sharingRequestId, imagemetadataId);
  // It may have been the last share of the image: the list of shared images then changes.
  else refreshLists(cache);
}

export const shareEvents = {
  feeds: [['sharing']],
  'share:created': ({ imagemetadataId, createdfor }, cache) => {
    refreshLists(cache, createdfor === session().user?.id ? 'shared' : undefined);
    refreshShares(cache, imagemetadataId);
  },
  'share:verified': ({ sharingRequestId, imagemetadataId, createdfor }, cache) => {
    patchShares(cache, imagemetadataId, (shares) =>
      shares.map((share) => (share.id === sharingRequestId ? { ...share, isVerified: true, locked: false } : share)),
    );
    if (createdfor !== session().user?.id) return;
    // The tab that sent the code has already read the image.
    coalesce(`share ${sharingRequestId}`, () => {
      if (!findShared(cache, sharingRequestId)?.isVerified) void rereadImage(cache, imagemetadataId);
    });
  },
  'share:locked': ({ sharingRequestId, imagemetadataId }, cache) =>
    patchShares(cache, imagemetadataId, (shares) =>
      shares.map((share) => (share.id === sharingRequestId ? { ...share, locked: true } : share)),
    ),
  'share:revoked': (share, cache) => ended(cache, share),
  'share:expired': (share, cache) => ended(cache, share),
} satisfies SocketRows;
