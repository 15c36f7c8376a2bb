import type { imageCalls } from '@lightbox/contract/images/calls.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Answer, Context } from '../context.js';

/** Finds the caller's own image with these bytes. The images of others are not searched. */
export async function findKnown({
  gateway,
  actor,
  viewer,
  query,
}: Context<typeof imageCalls.findKnown>): Promise<Answer<{ imageId: string | null }>> {
  const known = await gateway.models.Image.findOne(
    { owner: viewer._id, sha256: query.sha256, ...notHeld },
    { owner: 1 },
  )
    .sort({ _id: -1 })
    .lean<ImageDoc>();
  const found = known ? [known] : [];
  await gateway.events.record(actor, {
    type: 'image.list',
    records: found.map((image) => image._id),
    owners: found.map((image) => image.owner),
  });
  return { data: { imageId: known ? String(known._id) : null } };
}
