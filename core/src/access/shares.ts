import { limits } from '@lightbox/contract/limits.js';
import { isLiveShare, type ShareFacts } from '@lightbox/contract/sharing/states.js';

/** `isLiveShare` for a share that may be absent. */
export const isLive = <S extends ShareFacts>(share: S | null | undefined, now: Date): share is S =>
  Boolean(share && isLiveShare(share, now));

/** `isLiveShare` as a filter. */
export const liveShare = (now: Date) => ({
  live: true,
  $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: now } }],
});

/** The states of a live share, each as a filter. */
export const pendingShare = (now: Date) => ({
  ...liveShare(now),
  tries: { $lt: limits.codeTries },
  verifiedAt: { $exists: false },
});
export const lockedShare = (now: Date) => ({
  ...liveShare(now),
  tries: { $gte: limits.codeTries },
  verifiedAt: { $exists: false },
});
export const verifiedShare = (now: Date) => ({ ...liveShare(now), verifiedAt: { $exists: true } });

/** Expired shares that maintenance has not ended yet. */
export const overdueShare = (now: Date) => ({ live: true, expiresAt: { $lte: now } });
