import type { ImageFacts } from '@lightbox/contract/images/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import { isLiveShare, type ShareFacts } from '@lightbox/contract/sharing/states.js';
import { type ObjectId, sameId } from '../db/ids.js';
import type { ImageDoc } from '../models/image.js';
import type { ShareDoc } from '../models/share.js';

/** `isLiveShare` for a share that may be absent. */
export const isLive = <S extends ShareFacts>(share: S | null | undefined, now: Date): share is S =>
  Boolean(share && isLiveShare(share, now));

/** The image, or the study, of which a share is. */
export type ShareTarget = Pick<ShareDoc, 'image' | 'study'>;

/** Shares of exactly this target, as a filter. */
export const sharesOf = ({ image, study }: ShareTarget) => (study ? { study } : { image, study: { $exists: false } });

/** Shares that cover one of the images, as a filter: those of the image itself, and those of its study. */
export function covering(images: readonly Pick<ImageDoc, '_id' | 'study'>[]): { $and: [object] } {
  const studies = images.flatMap(({ study }) => (study ? [study] : []));
  return {
    $and: [
      {
        $or: [
          { image: { $in: images.map(({ _id }) => _id) }, study: { $exists: false } },
          ...(studies.length > 0 ? [{ study: { $in: studies } }] : []),
        ],
      },
    ],
  };
}

/** True when the share covers the image. */
export const covers = (share: ShareTarget, image: Pick<ImageDoc, '_id' | 'study'>): boolean =>
  share.study ? sameId(share.study, image.study) : share.image.equals(image._id);

/** Returns a function that finds the shares which cover an image. For long lists, where comparing each with each is slow. */
export function sharesByTarget<S extends ShareTarget>(shares: readonly S[]) {
  const known = new Map<string, S[]>();
  for (const share of shares) {
    const target = String(share.study ?? share.image);
    const others = known.get(target);
    if (others) others.push(share);
    else known.set(target, [share]);
  }
  const of = (id: ObjectId | undefined): S[] => (id && known.get(String(id))) ?? [];
  return ({ _id, study }: Pick<ImageDoc, '_id' | 'study'>): S[] => [...of(_id), ...of(study)];
}

/** Returns the share that gives the most, of several shares that one person has of an image: a verified one wins. */
export const strongest = (shares: readonly ShareDoc[]): ShareDoc | null =>
  shares.toSorted(
    (a, b) =>
      Number(Boolean(b.verifiedAt)) - Number(Boolean(a.verifiedAt)) ||
      endOf(b) - endOf(a) ||
      Number(Boolean(b.study)) - Number(Boolean(a.study)),
  )[0] ?? null;

/** Returns the facts about a viewer's live shares of one object: those of the original, and those of a copy. */
export const shareFacts = (shares: readonly ShareDoc[]): Pick<ImageFacts, 'share' | 'copy'> => {
  const copy = factsOfSome(shares.filter(({ deidentified }) => deidentified));
  return { share: factsOfSome(shares.filter(({ deidentified }) => !deidentified)), ...(copy ? { copy } : {}) };
};

/** Returns the share whose copy the viewer gets. */
export const copyShareOf = (shares: readonly ShareDoc[]): ShareDoc | null =>
  strongest(shares.filter(({ deidentified }) => deidentified));

const factsOfSome = (shares: readonly ShareDoc[]): ImageFacts['share'] =>
  shares.length > 0
    ? {
        verified: shares.some(({ verifiedAt }) => verifiedAt),
        download: shares.some(({ verifiedAt, download }) => verifiedAt && download !== false),
      }
    : null;

const endOf = ({ expiresAt }: ShareDoc): number => expiresAt?.getTime() ?? Number.MAX_SAFE_INTEGER;

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

/** True when a live share has opened the original. One of a copy tells of no patient, and of nothing in the original. */
export const opensOriginal = ({ verifiedAt, deidentified }: Pick<ShareDoc, 'verifiedAt' | 'deidentified'>): boolean =>
  Boolean(verifiedAt) && !deidentified;

/**
 * The same as a filter. Every query that asks whether a person knows an image, or its patient, by a share begins with it.
 */
export const openedOriginal = (now: Date) => ({ ...verifiedShare(now), deidentified: { $ne: true } });

/** Expired shares that maintenance has not ended yet. */
export const overdueShare = (now: Date) => ({ live: true, expiresAt: { $lte: now } });
