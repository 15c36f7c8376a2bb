import type { imageCalls } from '@lightbox/contract/images/calls.js';
import { deletionNeedsReason } from '@lightbox/contract/images/policy.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { fieldError } from '@lightbox/core/errors.js';
import { removeImage } from '@lightbox/core/images/removeImage.js';
import type { Answer, Context } from '../context.js';

export async function deleteImage({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<typeof imageCalls.deleteImage>): Promise<Answer<unknown>> {
  const { image, facts } = await requireImage(gateway.models, viewer, params.id, 'delete', gateway.clock.now());
  if (deletionNeedsReason(viewer, facts) && !body.reason) throw fieldError('reason', 'Please give a reason.');
  await removeImage(gateway, actor, image._id, body.reason ?? '');
  return { data: null };
}
