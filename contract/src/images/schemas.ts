import { z } from 'zod';
import { analysisStates } from '../analysis/states.js';
import { ByCarer } from '../carers/schemas.js';
import { ByEmergency } from '../emergencies/schemas.js';
import { Id, line, Time, text } from '../ids.js';
import { limits } from '../limits.js';
import { liveShareStates } from '../sharing/states.js';
import { StudySummary } from '../studies/schemas.js';
import { texts } from '../texts.js';
import { UserRef } from '../users/schemas.js';
import { contentTypes } from './names.js';

export const ContentType = z.enum(contentTypes);

/** The media types of frames; `image/webp` is the server's own picture of one. */
export const frameTypes = [
  'application/octet-stream',
  'image/jpeg',
  'image/jls',
  'image/j2c',
  'image/jphc',
  'image/png',
  'image/webp',
] as const;

export const Caption = line(limits.captionLength).min(1, texts.captionRequired);

/** The fields of an upload beside the file: of a form, and of the metadata of a resumable upload. */
export const UploadFields = z.strictObject({
  caption: Caption,
  patientId: Id.optional(),
  studyId: Id.optional(),
  mismatchReason: text(limits.mismatchReasonMax)
    .min(limits.mismatchReasonMin, `Must have at least ${limits.mismatchReasonMin} characters.`)
    .optional(),
});
export type UploadFields = z.infer<typeof UploadFields>;

/** SHA-256 in hexadecimal digits. */
export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'Must be a SHA-256 of 64 hexadecimal digits.')
  .transform((digits) => digits.toLowerCase());

/** Fields of the DICOM header that leave the server: never names or UIDs. */
export const DicomFacts = z.object({
  modality: z.string().optional(),
  bodyPart: z.string().optional(),
  view: z.string().optional(),
  studyDate: z.string().optional(),
  rows: z.int().optional(),
  columns: z.int().optional(),
  frames: z.int().optional(),
});
export type DicomFacts = z.infer<typeof DicomFacts>;

export const AnalysisStatus = z.enum(analysisStates);
export type AnalysisStatus = z.infer<typeof AnalysisStatus>;

/** The access of others to an image or study: the states of the live shares, one for each person, and the guest links. */
export const Recipients = z.object({
  total: z.int(),
  opened: z.int(),
  locked: z.int(),
  pending: z.int(),
  /** Present when there is one recipient. `at`: the time of the opening, or of the share. */
  one: z.object({ person: UserRef, state: z.enum(liveShareStates), at: Time, expiresAt: Time.nullable() }).optional(),
  /** Present when there are guest links that have not ended: their number. */
  guestLinks: z.int().optional(),
});
export type Recipients = z.infer<typeof Recipients>;

/**
 * An image as a viewer sees it. A viewer who has not entered the code gets only the first block, with `image_url` null.
 */
export const Image = z.object({
  id: Id,
  caption: z.string(),
  contentType: z.string(),
  sharedBy: UserRef.optional(),
  shareId: Id.optional(),
  expiresAt: Time.optional(),
  /** Present when this viewer gets a copy without identity: `caption` is then a general one. */
  deidentified: z.literal(true).optional(),
  /** The note of the sharer to this viewer. */
  note: z.string().optional(),
  createAt: Time,
  /** About this viewer: true for the owner and admins, for others once they have verified their share. */
  isVerified: z.boolean(),
  isShared: z.boolean(),
  /** Present when the viewer’s own share is locked after too many wrong codes. */
  isLocked: z.literal(true).optional(),
  /** Present while the image is held: it arrived for a request and is not taken yet. */
  held: z.literal(true).optional(),
  /** Present while the viewer opens the image by an emergency access alone. */
  emergency: ByEmergency.optional(),
  /** Present while the viewer opens the image as the carer of a patient alone. */
  carer: ByCarer.optional(),
  /** A small `data:image/webp;base64,…` preview, or null. */
  image_url: z.string().nullable(),
  /** In a grouped list: the study for which this image stands, for viewers who may know of the study. */
  study: StudySummary.optional(),

  /** Null when the image belongs to no study, or the viewer may not know of the study. */
  studyId: Id.nullable().optional(),
  seriesId: Id.nullable().optional(),
  /** The number of frames of a DICOM file or pages of a PDF, once a worker has counted them. */
  frames: z.int().optional(),
  size: z.int().optional(),
  width: z.int().optional(),
  height: z.int().optional(),
  owner: UserRef.optional(),
  patient: UserRef.optional(),
  /** False when this viewer sees the picture and may not download the original. */
  download: z.boolean().optional(),
  /** The people with a live share and the guest links, for viewers who may share the image. */
  recipients: Recipients.optional(),
  dicom: DicomFacts.optional(),
  /** For viewers who read signed texts only, the status is `none` until one is signed. */
  analysis: z.object({ status: AnalysisStatus, signed: z.literal(true).optional() }).optional(),
});
export type Image = z.infer<typeof Image>;
