import {
  deletionNeedsReason,
  formOf,
  formRules,
  type ImageFacts,
  type ImageViewer,
  imageRules,
} from '@lightbox/contract/images/policy.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { shareStart } from '@lightbox/contract/sharing/mark.js';
import { stackOf } from './subject';

/** The start of the viewer's own share. */
export const startOfShare = ({ shareId }: Pick<Image, 'shareId'>): number | undefined =>
  shareId === undefined ? undefined : shareStart(shareId);

export const hasEnded = (image: Pick<Image, 'expiresAt'>, now = Date.now()) =>
  image.expiresAt !== undefined && Date.parse(image.expiresAt) <= now;

/** True when the share, or the emergency access by which the viewer sees it, has ended. */
export const isOver = (thing: Pick<Image, 'expiresAt' | 'emergency'>, now = Date.now()) =>
  thing.emergency ? Date.parse(thing.emergency.until) <= now : hasEnded(thing, now);

export const ownsImage = (viewer: ImageViewer, image: Image) => viewer.id === image.owner?.id;

/** Returns the facts that the contract's rules need, from the image as the viewer received it. */
function factsOf(viewer: ImageViewer, image: Image, now: number): ImageFacts {
  const { emergency, carer } = image;
  const shared =
    !ownsImage(viewer, image) &&
    (image.shareId !== undefined || (image.isVerified && !emergency && !carer)) &&
    !hasEnded(image, now);
  const live = { verified: image.isVerified && !emergency && !carer, download: image.download !== false };
  return {
    ownerId: image.owner?.id ?? '',
    patientId: image.patient?.id ?? null,
    ...(image.held ? { held: true } : {}),
    share: shared && !image.deidentified ? live : null,
    copy: shared && image.deidentified ? live : null,
    emergency: emergency !== undefined && Date.parse(emergency.until) > now,
    carer: carer !== undefined,
  };
}

export interface ImageActions {
  open: boolean;
  download: boolean;
  /** True when the viewer's own share waits for its code. */
  verify: boolean;
  share: boolean;
  ai: boolean;
  /** True when the viewer reads the signed text of the analysis, and there is one. */
  opinion: boolean;
  sign: boolean;
  remove: boolean;
  /** True when the viewer may take the original to another viewer. */
  elsewhere: boolean;
  timeline: boolean;
  removeNeedsReason: boolean;
  /** True for a study of which the viewer may change the title. */
  rename: boolean;
}

/** Returns the buttons of an image for this viewer, by the contract's rules alone. */
export function actionsOf(viewer: ImageViewer, image: Image, now = Date.now()): ImageActions {
  const facts = factsOf(viewer, image, now);
  const form = formOf(viewer, facts);
  return {
    open: imageRules[formRules.open[form]](viewer, facts) && image.isVerified,
    download: imageRules[formRules.download[form]](viewer, facts) && image.isVerified,
    verify: image.shareId !== undefined && (facts.share ?? facts.copy)?.verified === false,
    // Its recipients would take a part of the copies for the whole study.
    share: imageRules.share(viewer, facts) && !image.study?.unfinished,
    ai: imageRules.analyse(viewer, facts),
    opinion: imageRules.readSigned(viewer, facts) && image.analysis?.signed === true,
    sign: imageRules.sign(viewer, facts),
    remove: imageRules.delete(viewer, facts),
    // An administrator sees images without a share, and takes none of them elsewhere.
    elsewhere: imageRules.openElsewhere(viewer, facts) && (ownsImage(viewer, image) || image.shareId !== undefined),
    timeline: imageRules.timeline(viewer, facts) && image.isVerified,
    removeNeedsReason: deletionNeedsReason(viewer, facts),
    rename: stackOf(image) !== undefined && imageRules.share(viewer, facts),
  };
}
