import type { imageCalls } from '@lightbox/contract/images/calls.js';
import { deletionNeedsReason } from '@lightbox/contract/images/policy.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { fieldError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { ImageDoc } from '@lightbox/core/models/types.js';
import type { Answer, Context, Gateway } from '../context.js';

export async function deleteImage({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<typeof imageCalls.deleteImage>): Promise<Answer<unknown>> {
  const { image, facts } = await requireImage(gateway.models, viewer, params.id, 'delete', gateway.clock.now());
  if (deletionNeedsReason(viewer, facts) && !body.reason) throw fieldError('reason', 'Please give a reason.');
  await removeImage(gateway, actor, image, body.reason ?? '');
  return { data: null };
}

/** The record goes at once with everything that hangs on it; a worker removes the bytes, which nobody can reach any more. */
export async function removeImage(gateway: Gateway, actor: Actor, image: ImageDoc, reason: string): Promise<void> {
  const { models } = gateway;
  let removed = false;
  await gateway.events.change(actor, async (tx) => {
    const session = tx.session;
    const deleted = await models.Image.deleteOne({ _id: image._id }, { session });
    removed = deleted.deletedCount === 1;
    if (!removed) return image._id;
    await models.Preview.deleteOne({ _id: image._id }, { session });
    await models.Analysis.deleteOne({ _id: image._id }, { session });
    await models.Share.updateMany(
      { image: image._id, live: true },
      { $set: { live: false, endedAt: gateway.clock.now() } },
      { session },
    );
    tx.record({
      type: 'image.delete',
      table: 'imagemetadata',
      record: image._id,
      owners: [image.owner],
      recipients: [...image.audience, image.owner],
      refs: { blob: image.blob },
      reason,
    });
    return image._id;
  });
  if (removed) await gateway.usage.giveBack(image.owner, image.size);
}
