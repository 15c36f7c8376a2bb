import { z } from 'zod';
import { Id, line } from '../ids.js';
import { limits } from '../limits.js';
import type { ContentType } from './schemas.js';

export const imageKinds = ['picture', 'pdf', 'dicom'] as const;
export type ImageKind = (typeof imageKinds)[number];

const kinds: Record<ContentType, ImageKind> = {
  'image/jpeg': 'picture',
  'image/png': 'picture',
  'application/pdf': 'pdf',
  'application/dicom': 'dicom',
};
export const kindOf = (type: ContentType): ImageKind => kinds[type];

/** States of the viewer's own share, or of any share of an image of their own. */
export const cardStates = ['notVerified', 'endsSoon', 'locked'] as const;
export type CardState = (typeof cardStates)[number];

/** The modalities that the search offers (DICOM PS3.3 C.7.3.1.1.1); it accepts any. */
export const modalities = ['CR', 'CT', 'DX', 'ECG', 'MG', 'MR', 'NM', 'OP', 'OT', 'PT', 'RF', 'SR', 'US', 'XA', 'XC'];

const Day = z.iso.date('Must be a date, YYYY-MM-DD.');

/** The conditions of a search, all of which an image must meet. */
export const ImageSearch = z.strictObject({
  /** One of the two lists of the gallery; without it both. */
  list: z.enum(['uploaded', 'shared']).optional(),
  /** Each word must begin a word of the caption, of the study's title or of the patient's name. */
  text: line(limits.searchLength).optional(),
  patientId: Id.optional(),
  modality: z
    .string()
    .regex(/^[A-Z0-9_]{1,16}$/, 'Must be a modality code.')
    .optional(),
  kind: z.enum(imageKinds).optional(),
  /** First and last day: of the study, else of the upload. */
  from: Day.optional(),
  to: Day.optional(),
  state: z.enum(cardStates).optional(),
});
export type ImageSearch = z.infer<typeof ImageSearch>;
