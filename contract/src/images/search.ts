import { z } from 'zod';
import { Id, line } from '../ids.js';
import { limits } from '../limits.js';
import { cardStates, imageKinds } from './names.js';

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
