import { isDeepStrictEqual } from 'node:util';
import type { annotationCalls } from '@lightbox/contract/annotations/calls.js';
import type { Layer, Mark } from '@lightbox/contract/annotations/schemas.js';
import { seenBy } from '@lightbox/core/access/grounds.js';
import { holdImage } from '@lightbox/core/access/hold.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { refuseHeld } from '@lightbox/core/access/legalHolds.js';
import { openMarks, sealMarks } from '@lightbox/core/annotations/marks.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError, fieldError, unlessDamaged } from '@lightbox/core/errors.js';
import type { AnnotationDoc } from '@lightbox/core/models/annotation.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ClientSession } from 'mongoose';
import type { Answer, Context, Gateway } from '../context.js';
import { presenter } from './layers.js';

type Saving = Context<typeof annotationCalls.saveAnnotations>;
type Removing = Context<typeof annotationCalls.deleteAnnotations>;

/** Keeps the viewer's own layer. Refused when another window has saved it since it was read. */
export async function saveAnnotations(context: Saving): Promise<Answer<Layer>> {
  const { gateway, actor, viewer, params, body } = context;
  const { models, clock } = gateway;
  const { image } = await requireImage(models, viewer, params.id, 'annotate', clock.now());
  const frames = image.frames ?? Number.POSITIVE_INFINITY;
  if (body.marks.some(({ frame }) => frame > frames)) throw fieldError('marks', 'The image has no such frame.');
  const own = { image: image._id, author: viewer._id };
  let saved: AnnotationDoc | undefined;
  await gateway.events.change(actor, async (tx) => {
    const { session } = tx;
    const held = await holdImage(models, image._id, session);
    const before = await models.Annotation.findOne(own, null, { session }).lean<AnnotationDoc>();
    if ((before?.version ?? 0) !== body.version) throw new AppError('MARKS_CHANGED');
    if (before && loses(gateway, held, before, body.marks)) await refuseHeld(models, [held.patient], session);
    const updateAt = clock.now();
    // The first version of a layer is the time, so that no window takes a new layer for one that was removed.
    const version = before ? before.version + 1 : updateAt.getTime();
    const marks = sealMarks(gateway, held, { author: viewer._id, version }, body.marks);
    saved = { _id: before?._id ?? newId(updateAt), ...own, version, shared: body.shared, marks, updateAt };
    if (before) await models.Annotation.replaceOne({ _id: before._id }, saved, { session });
    else await models.Annotation.create([saved], { session });
    tx.record({
      type: 'annotation.saved',
      record: image._id,
      owners: [held.owner],
      recipients: await seers(gateway, held, viewer._id, before?.shared || body.shared, session),
    });
    return image._id;
  });
  // A repeat of a request that was answered before changes nothing.
  saved ??= (await models.Annotation.findOne(own).lean<AnnotationDoc>()) ?? undefined;
  if (!saved) throw new AppError('MARKS_CHANGED');
  return { data: (await presenter(gateway, viewer, [saved]))(image, saved) };
}

/** True when saving these marks deletes what an earlier one says: it is missing, or was changed. */
function loses(gateway: Gateway, image: ImageDoc, before: AnnotationDoc, marks: readonly Mark[]): boolean {
  const earlier = unlessDamaged(gateway.log, () => openMarks(gateway, image, before));
  return !earlier?.every((one) => marks.some((mark) => isDeepStrictEqual(mark, one)));
}

/** Removes the viewer's own layer. Nothing happens when there is none. */
export async function deleteAnnotations({ gateway, actor, viewer, params }: Removing): Promise<Answer<null>> {
  const { models, clock } = gateway;
  const { image } = await requireImage(models, viewer, params.id, 'annotate', clock.now());
  await gateway.events.change(actor, async (tx) => {
    const { session } = tx;
    const held = await holdImage(models, image._id, session);
    const own = { image: image._id, author: viewer._id };
    const removed = await models.Annotation.findOneAndDelete(own, { session }).lean<AnnotationDoc>();
    if (!removed) return image._id;
    await refuseHeld(models, [held.patient], session);
    tx.record({
      type: 'annotation.removed',
      record: image._id,
      owners: [held.owner],
      recipients: await seers(gateway, held, viewer._id, removed.shared, session),
    });
    return image._id;
  });
  return { data: null };
}

/** Returns the people whose browsers show the layer: of a shared one all who see the image, else the author's own. */
async function seers(
  gateway: Gateway,
  image: ImageDoc,
  author: ObjectId,
  shared: boolean,
  session: ClientSession,
): Promise<ObjectId[]> {
  if (!shared) return [author];
  return [author, ...(await seenBy(gateway, image, image.audience, session))];
}
