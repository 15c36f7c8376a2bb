import { z } from 'zod';
import { ByCarer } from '../carers/schemas.js';
import { ByEmergency } from '../emergencies/schemas.js';
import { Id, line, Time } from '../ids.js';
import { limits } from '../limits.js';
import { UserRef } from '../users/schemas.js';

/**
 * `dicom`: the files of one examination, which the server puts together by the study that their headers name.
 * `pictures`: pictures and PDFs that a person put together.
 */
export const studyKinds = ['dicom', 'pictures'] as const;
export const StudyKind = z.enum(studyKinds);
export type StudyKind = z.infer<typeof StudyKind>;

export const StudyTitle = line(limits.studyTitleLength).min(1, 'Please provide a title.');

/** The study of an image that stands for it in a grouped list. */
export const StudySummary = z.object({
  id: Id,
  title: z.string(),
  kind: StudyKind,
  imageCount: z.int(),
  /** DICOM modalities, as `CT`; empty for pictures. */
  modalities: z.array(z.string()),
  /** Bytes of all its files; 0 for a viewer who gets copies without identity, whose sizes differ. */
  size: z.int(),
  /** Present while copies without identity are still missing in it. It cannot be shared. */
  unfinished: z.literal(true).optional(),
});
export type StudySummary = z.infer<typeof StudySummary>;

export const Series = z.object({
  id: Id,
  number: z.int().optional(),
  description: z.string().optional(),
  modality: z.string().optional(),
  /** In order: by the position of the slices, else by instance number, else by the name of the file. */
  images: z.array(Id),
});
export type Series = z.infer<typeof Series>;

/** A study as a viewer sees it. A viewer who has not entered the code gets only the first block, with `image_url` null. */
export const Study = StudySummary.extend({
  createAt: Time,
  /** About this viewer: true for the owner and admins, for others once they have verified their share of the study. */
  isVerified: z.boolean(),
  isShared: z.boolean(),
  sharedBy: UserRef.optional(),
  shareId: Id.optional(),
  expiresAt: Time.optional(),
  /** Present when this viewer gets copies without identity: `title` is then a general one. */
  deidentified: z.literal(true).optional(),
  /** The note of the sharer to this viewer. */
  note: z.string().optional(),
  /** Present while the viewer opens the study by an emergency access alone. */
  emergency: ByEmergency.optional(),
  /** Present while the viewer opens the study as the carer of a patient alone. */
  carer: ByCarer.optional(),
  /** The preview of the image that stands for the study: a small `data:image/webp;base64,…`, or null. */
  image_url: z.string().nullable(),

  owner: UserRef.optional(),
  patient: UserRef.optional(),
  /** As in the files: `YYYY-MM-DD`. */
  studyDate: z.string().optional(),
  /** The image that stands for the study; absent while the study is empty. */
  leadId: Id.optional(),
  /** False when this viewer sees the pictures and may not download the original files. */
  download: z.boolean().optional(),
  series: z.array(Series).optional(),
});
export type Study = z.infer<typeof Study>;
