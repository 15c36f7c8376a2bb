import type { Core } from '@lightbox/core/core.js';
import { DRAWING_VERSION } from '../previews/makePreview.js';

const POSITION = 'redrawOld';
/** So many images are entered in one run, and none while so many files wait. */
export const REDRAWN_AT_ONCE = 10;
/** Behind the last file of the largest upload (`previews/turns.ts`). */
const PLACE = 2_000;

const olderVersions = Array.from({ length: DRAWING_VERSION - 1 }, (_, i) => i + 1);

/**
 * Enters the images whose drawing an older version made, a few at a time, until none is left. A file that this version fails to
 * draw keeps the older drawing, which counts as made again. Each search goes on behind the last one and then begins anew: an image
 * whose job was lost, or done by a worker of an older version, does not stand in the way of the others.
 */
export async function redrawOld({ models, queues }: Core): Promise<void> {
  const { Drawing, Position } = models;
  if ((await queues.all.previews.count()) >= REDRAWN_AT_ONCE) return;
  const after = (await Position.findById(POSITION).lean())?.after;
  const old = await Drawing.find(
    { version: { $in: olderVersions }, ...(after ? { _id: { $gt: after } } : {}) },
    { _id: 1 },
  )
    .sort({ _id: 1 })
    .limit(REDRAWN_AT_ONCE)
    .lean();
  await queues.add(
    old.map(({ _id }) => ({
      name: 'renderPreview',
      data: { imageId: String(_id) },
      id: `${_id}-drawing-${DRAWING_VERSION}`,
      place: PLACE,
    })),
  );
  const last = old.at(-1);
  if (last) await Position.updateOne({ _id: POSITION }, { $set: { after: last._id } }, { upsert: true });
  else if (after) await Position.deleteOne({ _id: POSITION });
}
