import type { StudySummary } from '@lightbox/contract/studies/schemas.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { Models } from '@lightbox/core/models/models.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';

export const summaryOf = (study: StudyDoc): StudySummary => ({
  id: String(study._id),
  title: study.title,
  kind: study.kind,
  imageCount: study.images,
  modalities: study.modalities,
  size: study.bytes,
  ...(study.planned ? { unfinished: true as const } : {}),
});

/** Returns the summaries of studies by their ids, with one query. */
export async function summariesOf(models: Models, ids: (string | null)[]): Promise<Map<string, StudySummary>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))].map(oid);
  if (wanted.length === 0) return new Map();
  const studies = await models.Study.find({ _id: { $in: wanted } }).lean<StudyDoc[]>();
  return new Map(studies.map((study) => [String(study._id), summaryOf(study)]));
}
