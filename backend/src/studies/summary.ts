import type { StudySummary } from '@lightbox/contract/studies/schemas.js';
import { texts } from '@lightbox/contract/texts.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { Models } from '@lightbox/core/models/models.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';

/** A copy has a general title, and no size: that of the originals tells which files they are. */
export const summaryOf = (study: StudyDoc, copy: boolean): StudySummary => ({
  id: String(study._id),
  title: copy ? texts.copyTitle : study.title,
  kind: study.kind,
  imageCount: study.images,
  modalities: study.modalities,
  size: copy ? 0 : study.bytes,
  ...(study.planned ? { unfinished: true as const } : {}),
});

/** Returns studies by their ids, with one query. */
export async function studiesById(models: Models, ids: string[]): Promise<Map<string, StudyDoc>> {
  const wanted = [...new Set(ids)].map(oid);
  if (wanted.length === 0) return new Map();
  const studies = await models.Study.find({ _id: { $in: wanted } }).lean<StudyDoc[]>();
  return new Map(studies.map((study) => [String(study._id), study]));
}
