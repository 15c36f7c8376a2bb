import type { annotationCalls } from '@lightbox/contract/annotations/calls.js';
import type { Layer, Layers } from '@lightbox/contract/annotations/schemas.js';
import { type ImageFacts, imageRules } from '@lightbox/contract/images/policy.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { maySeeUser, userFacts } from '@lightbox/core/access/users.js';
import { findLayers } from '@lightbox/core/annotations/layers.js';
import { openMarks } from '@lightbox/core/annotations/marks.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import type { AnnotationDoc } from '@lightbox/core/models/annotation.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context, Gateway, Reader } from '../context.js';
import { checkOpen as checkImage, seenImage } from '../images/imageBytes.js';
import { countRead, recordLook } from '../images/looks.js';
import { checkOpen as checkStudy, seenStudy } from '../studies/checkOpen.js';
import { namesOf } from '../users/names.js';

type Pictured = Pick<ImageDoc, '_id' | 'dataKey'>;
const nobodys: Layers = { layers: [], mayAnnotate: false };

/** Answers with the layers of an image that the viewer may see. A copy without identity has none: texts may name people. */
export async function getAnnotations(context: Context<typeof annotationCalls.getAnnotations>): Promise<Answer<Layers>> {
  const access = await checkImage(context)(context.viewer);
  const data = access.copy === null ? await layersOf(context, [access.image], access.facts) : nobodys;
  await countRead(context, 'image.view', seenImage(access));
  return { data };
}

/** The same of all images of a study. */
export async function getStudyAnnotations(
  context: Context<typeof annotationCalls.getStudyAnnotations>,
): Promise<Answer<Layers>> {
  const { gateway, viewer } = context;
  const access = await checkStudy(context)(viewer);
  const find = () => gateway.models.Image.find({ study: access.study._id }, { dataKey: 1 }).lean<Pictured[]>();
  const data = access.copy === null ? await layersOf(context, await find(), access.facts) : nobodys;
  await recordLook(context, 'study.frames', seenStudy(access));
  return { data };
}

/** The layers that a person may read of an image that they may open, as a filter. */
export const readableBy = ({ _id }: Reader) => ({ $or: [{ shared: true }, { author: _id }] });

async function layersOf(
  { gateway, viewer }: { gateway: Gateway; viewer: Reader },
  images: readonly Pictured[],
  facts: ImageFacts,
): Promise<Layers> {
  const found = await findLayers(gateway.models, {
    image: { $in: images.map(({ _id }) => _id) },
    ...readableBy(viewer),
  });
  const byId = new Map(images.map((image) => [String(image._id), image]));
  const present = await presenter(gateway, viewer, found);
  const layers = found.flatMap((layer) => {
    const image = byId.get(String(layer.image));
    return (image && unlessDamaged(gateway.log, () => present(image, layer))) ?? [];
  });
  return { layers, mayAnnotate: imageRules.annotate(viewer, facts) };
}

/** Returns the function that opens layers for a viewer. */
export async function presenter(
  gateway: Gateway,
  viewer: Reader,
  layers: readonly AnnotationDoc[],
): Promise<(image: Pictured, layer: AnnotationDoc) => Layer> {
  const name = await authorsFor(gateway, viewer, layers);
  return (image, layer) => {
    const author = name(layer.author);
    return {
      id: String(layer._id),
      imageId: String(layer.image),
      ...(author ? { author } : {}),
      shared: layer.shared,
      version: layer.version,
      updateAt: layer.updateAt.toISOString(),
      marks: openMarks(gateway, image, layer),
    };
  };
}

/**
 * Returns the names of authors. Guests get none, and nobody learns here of a person whom they do not find in the directory,
 * as two patients of one image.
 */
export async function authorsFor(
  gateway: Gateway,
  viewer: Reader,
  layers: readonly Pick<AnnotationDoc, 'author'>[],
): Promise<(author: ObjectId) => UserRef | undefined> {
  if (viewer.role === 'guest') return () => undefined;
  const { id, role } = viewer;
  const ids = [...new Set(layers.map(({ author }) => String(author)))];
  const users = await gateway.models.User.find({ _id: { $in: ids } }).lean<UserDoc[]>();
  const known = await Promise.all(
    users.map(async (user) =>
      String(user._id) === id || (await maySeeUser(gateway, { id, role }, userFacts(user))) ? user._id : [],
    ),
  );
  const shown = known.flat();
  const name = await namesOf(gateway.models, shown);
  return (author) => (shown.some((one) => one.equals(author)) ? name(author) : undefined);
}
