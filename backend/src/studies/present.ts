import { formOf, imageRules, opensAnyForm } from '@lightbox/contract/images/policy.js';
import type { Series, Study } from '@lightbox/contract/studies/schemas.js';
import type { StudyAccess } from '@lightbox/core/access/studies.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { nameOf } from '@lightbox/core/studies/names.js';
import { type OrderedSeries, seriesOf } from '@lightbox/core/studies/order.js';
import { presentByCarer } from '../carers/present.js';
import type { Gateway, Viewer } from '../context.js';
import { presentBy } from '../emergencies/present.js';
import { hidesPicture } from '../images/copies.js';
import { previewsOf } from '../images/present.js';
import { presentMine } from '../sharing/present.js';
import { namesOf } from '../users/names.js';
import { summaryOf } from './summary.js';

/** Presents a study as this viewer may see it: whole, or before the code is entered an outline without series. */
export async function presentStudy(
  gateway: Gateway,
  viewer: Viewer,
  { study, share, facts, emergency, carer }: StudyAccess,
): Promise<Study> {
  const copy = formOf(viewer, facts) === 'copy';
  const opens = opensAnyForm(viewer, facts);
  const lead = study.lead && (await gateway.models.Image.findById(study.lead).lean<ImageDoc>());
  const [name, previews] = await Promise.all([
    namesOf(gateway.models, [study.owner, study.patient, share?.sharedBy, carer?.patient]),
    previewsOf(gateway, lead && opens ? [lead] : []),
  ]);
  const hidden = copy && lead && opens ? await hidesPicture(gateway, [lead]) : new Set<string>();
  const outline: Study = {
    ...summaryOf(study, copy),
    ...(copy ? { deidentified: true as const } : {}),
    createAt: study.createAt.toISOString(),
    isVerified: opens,
    isShared: lead?.isShared ?? false,
    image_url: lead && !hidden.has(String(lead._id)) ? (previews.get(String(lead._id)) ?? null) : null,
    ...(share ? presentMine(gateway, share, name) : {}),
    ...(emergency ? { emergency: presentBy(emergency) } : {}),
    ...(carer ? { carer: presentByCarer(carer, name) } : {}),
  };
  if (!opens) return outline;
  return {
    ...outline,
    owner: name(study.owner),
    ...(study.patient && !copy ? { patient: name(study.patient) } : {}),
    ...(study.studyDate && !copy ? { studyDate: study.studyDate } : {}),
    ...(study.lead ? { leadId: String(study.lead) } : {}),
    download: copy ? imageRules.downloadCopy(viewer, facts) : imageRules.download(viewer, facts),
    series: (await readSeries(gateway, study)).map((series) => presentSeries(series, copy)),
  };
}

type Placed = Pick<ImageDoc, '_id' | 'series' | 'place' | 'createAt' | 'dataKey'>;

/** Returns the series of a study, each with the records of its images in order. */
export async function readSeries(gateway: Gateway, { _id }: Pick<StudyDoc, '_id'>): Promise<OrderedSeries<Placed>[]> {
  const images = await gateway.models.Image.find({ study: _id }, { series: 1, place: 1, createAt: 1, dataKey: 1 }).lean<
    Placed[]
  >();
  return seriesOf(_id, images, (image) => nameOf(gateway, image));
}

/** The description of a series is free text of the file: a copy has none. */
const presentSeries = ({ id, images, description, ...rest }: OrderedSeries<Placed>, copy: boolean): Series => ({
  ...rest,
  ...(description === undefined || copy ? {} : { description }),
  id: String(id),
  images: images.map((image) => String(image._id)),
});
