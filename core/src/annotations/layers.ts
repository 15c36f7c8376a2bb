import type { QueryFilter } from 'mongoose';
import { NEWEST } from '../db/newest.js';
import type { AnnotationDoc } from '../models/annotation.js';
import type { Models } from '../models/models.js';

/**
 * Returns the layers that a filter matches, as a majority has them: a failover may still undo newer marks. A layer that was
 * removed, or is shared no more, is left out at once.
 */
export async function findLayers(models: Models, filter: QueryFilter<AnnotationDoc>): Promise<AnnotationDoc[]> {
  const [layers, newest] = await Promise.all([
    models.Annotation.find(filter).sort({ _id: 1 }).lean<AnnotationDoc[]>(),
    models.Annotation.find(filter, { _id: 1 }).readConcern(NEWEST).lean<Pick<AnnotationDoc, '_id'>[]>(),
  ]);
  const ids = new Set(newest.map(({ _id }) => String(_id)));
  return layers.filter(({ _id }) => ids.has(String(_id)));
}
