import type { ServerPayload } from '@lightbox/contract/events.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Invitation, ShareAccess } from '@lightbox/contract/sharing/calls.js';
import type { QueryClient } from '@tanstack/react-query';
import { session } from '../auth/session';
import { endShare, findShared, lockShare, moveEnd, refreshLists } from '../images/cache';
import { rereadImage } from '../images/images';
import { invitations } from '../images/insight';
import { rereadStudy } from '../images/studies';
import { coalesce } from '../lib/coalesce';
import { change, reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import { HOUR_MS } from '../lib/times';

const accessLists = ['sharing'] as const;

/** Changes "who has access" of every image and study: the share of a study is in the lists of all its images. */
export const patchShares = (cache: QueryClient, to: (shares: ShareAccess[]) => ShareAccess[]) =>
  change(cache, accessLists, to);

export const refreshShares = (cache: QueryClient) => coalesce('shares', () => void reread(cache, accessLists));

export const patchInvitations = (cache: QueryClient, to: (waiting: Invitation[]) => Invitation[]) =>
  change(cache, invitations, to);

export const refreshInvitations = (cache: QueryClient) =>
  coalesce('invitations', () => void reread(cache, invitations));

/** Returns the duration of a share in hours, to repeat it. A permanent share gets the default. */
export function hoursOf({ createAt, expiresAt }: Pick<ShareAccess, 'createAt' | 'expiresAt'>, usual: number): number {
  if (!expiresAt) return usual;
  const hours = Math.round((Date.parse(expiresAt) - Date.parse(createAt)) / HOUR_MS);
  return Math.min(limits.shareHoursMax, Math.max(1, hours));
}

const isMine = ({ createdfor }: { createdfor: string }) => createdfor === session().user?.id;

function ended(cache: QueryClient, share: ServerPayload<'share:revoked'>) {
  const { sharingRequestId, imagemetadataId, studyId } = share;
  patchShares(cache, (shares) => shares.filter(({ id }) => id !== sharingRequestId));
  if (isMine(share)) endShare(cache, sharingRequestId, imagemetadataId, studyId);
  // It may have been the last share of the image: the list of shared images then changes.
  else refreshLists(cache);
}

/** Shows on both sides that a share is locked, or waits for its code again. */
function setLocked(cache: QueryClient, given: ServerPayload<'share:locked'>, locked: boolean) {
  const shareId = given.sharingRequestId;
  patchShares(cache, (shares) => shares.map((share) => (share.id === shareId ? { ...share, locked } : share)));
  if (isMine(given)) lockShare(cache, shareId, locked);
  else refreshLists(cache);
}

export const shareEvents = {
  feeds: [accessLists, invitations],
  'share:created': (share, cache) => {
    refreshLists(cache, isMine(share) ? 'shared' : undefined);
    refreshShares(cache);
  },
  'share:verified': (given, cache) => {
    const { sharingRequestId, imagemetadataId, studyId } = given;
    patchShares(cache, (shares) =>
      shares.map((share) => (share.id === sharingRequestId ? { ...share, isVerified: true, locked: false } : share)),
    );
    if (!isMine(given)) return refreshLists(cache);
    // The tab that sent the code has already read the image.
    coalesce(`share ${sharingRequestId}`, () => {
      if (findShared(cache, sharingRequestId)?.isVerified) return;
      void (studyId ? rereadStudy(cache, studyId) : rereadImage(cache, imagemetadataId));
    });
  },
  'share:locked': (share, cache) => setLocked(cache, share, true),
  'share:resent': (share, cache) => setLocked(cache, share, false),
  'share:changed': (given, cache) => {
    const { sharingRequestId, imagemetadataId, studyId, expiresAt, download } = given;
    patchShares(cache, (shares) =>
      shares.map((share) => (share.id === sharingRequestId ? { ...share, expiresAt, download } : share)),
    );
    if (!isMine(given)) return refreshLists(cache);
    moveEnd(cache, sharingRequestId, expiresAt);
    // Another share may allow the download all the same.
    void (studyId ? rereadStudy(cache, studyId) : rereadImage(cache, imagemetadataId));
  },
  'invite:created': (_, cache) => refreshInvitations(cache),
  'invite:accepted': (_, cache) => refreshInvitations(cache),
  'invite:ended': ({ invitationId }, cache) =>
    patchInvitations(cache, (waiting) => waiting.filter(({ id }) => id !== invitationId)),
  'share:revoked': (share, cache) => ended(cache, share),
  'share:expired': (share, cache) => ended(cache, share),
} satisfies SocketRows;
