import { texts } from '@lightbox/contract/texts.js';
import { holdImage, holdStudy } from '@lightbox/core/access/hold.js';
import { requireImage } from '@lightbox/core/access/images.js';
import type { ShareTarget } from '@lightbox/core/access/shares.js';
import { requireStudy } from '@lightbox/core/access/studies.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { fieldError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import type { DatesOf } from '@lightbox/core/models/share.js';
import type { Gateway, Viewer } from '../context.js';

/** An image or a study that is shared, with its owner. */
export interface Shared {
  target: ShareTarget;
  owner: ObjectId;
}

/** Returns the image or the study that the viewer wants to share or manage. */
export async function requireTarget(
  { models, clock }: Gateway,
  viewer: Viewer,
  { imageId, studyId }: { imageId?: string | undefined; studyId?: string | undefined },
): Promise<Shared> {
  if (studyId === undefined) {
    const { image } = await requireImage(models, viewer, imageId ?? '', 'share', clock.now());
    return { target: { image: image._id }, owner: image.owner };
  }
  const { study } = await requireStudy(models, viewer, studyId, 'share', clock.now());
  if (!study.lead) throw fieldError('studyId', texts.emptyStudy);
  if (study.planned) throw fieldError('studyId', texts.unfinishedStudy);
  return { target: { image: study.lead, study: study._id }, owner: study.owner };
}

/** Returns the owner and the patient of a target, and the image that stands for it now, and keeps both until the transaction ends. */
export async function holdTarget(
  { models }: Gateway,
  tx: Transaction,
  { image, study }: ShareTarget,
): Promise<DatesOf & { image: ObjectId }> {
  const held = study ? await holdStudy(models, study, tx.session) : await holdImage(models, image, tx.session);
  const { owner, patient } = held;
  return { owner, ...(patient ? { patient } : {}), image: ('lead' in held && held.lead) || image };
}
