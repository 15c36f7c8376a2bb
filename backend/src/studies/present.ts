import { imageRules } from '@lightbox/contract/images/policy.js';
import type { Series, Study } from '@lightbox/contract/studies/schemas.js';
import type { StudyAccess } from '@lightbox/core/access/studies.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { nameOf } from '@lightbox/core/studies/names.js';
import { type OrderedSeries, seriesOf } from '@lightbox/core/studies/order.js';
import { presentByCarer } from '../carers/present.js';
import type { Gateway, Viewer } from '../context.js';
import { presentBy } from '../emergencies/present.js';
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
  const opens = imageRules.open(viewer, facts);
  const lead = study.lead && (await gateway.models.Image.findById(study.lead).lean<ImageDoc>());
  const [name, previews] = await Promise.all([
    namesOf(gateway.models, [study.owner, study.patient, share?.sharedBy, carer?.patient]),
    previewsOf(gateway, lead && opens ? [lead] : []),
  ]);
  const outline: Study = {
    ...summaryOf(study),
    createAt: study.createAt.toISOString(),
    isVerified: opens,
    isShared: lead?.isShared ?? false,
    image_url: (lead && previews.get(String(lead._id))) ?? null,
    ...(share ? presentMine(gateway, share, name) : {}),
    ...(emergency ? { emergency: presentBy(emergency) } : {}),
    ...(carer ? { carer: presentByCarer(carer, name) } : {}),
  };
  if (!opens) return outline;
  return {
    ...outline,
    owner: name(study.owner),
    ...(study.patient ? { patient: name(study.patient) } : {}),
    ...(study.studyDate ? { studyDate: study.studyDate } : {}),
    ...(study.lead ? { leadId: String(study.lead) } : {}),
    download: imageRules.download(viewer, facts),
    series: (await readSeries(gateway, study)).map(presentSeries),
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

const presentSeries = ({ id, images, ...rest }: OrderedSeries<Placed>): Series => ({
  ...rest,
  id: String(id),
  images: images.map((image) => String(image._id)),
});
