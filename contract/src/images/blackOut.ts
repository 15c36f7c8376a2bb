import { z } from 'zod';
import { Id } from '../ids.js';
import { limits } from '../limits.js';
import { StudyTitle } from '../studies/schemas.js';
import { TextPlace } from './drawing.js';
import { Caption } from './schemas.js';

/**
 * A rectangle of the upright picture that becomes black, in pixels from its upper left corner. The lower right corner lies
 * outside.
 */
export const BlackRectangle = TextPlace.extend({
  /** The frame, from 1. Absent: every frame. */
  frame: z.int().positive().max(100_000).optional(),
})
  .strict()
  .refine(({ x0, x1, y0, y1 }) => x0 < x1 && y0 < y1, 'Must have an area.');
export type BlackRectangle = z.infer<typeof BlackRectangle>;

export const BlackOut = z
  .strictObject({
    /** None for an image of a study that is copied as it is, without identity. */
    rectangles: z.array(BlackRectangle).max(limits.blackRectangles),
    /** The name of the copy. That of the original may name the patient. */
    caption: Caption,
    /** The person has looked: no text that names anybody is left. The copy says so (BurnedInAnnotation NO). */
    noTextLeft: z.boolean().default(false),
    /** Begins a study of copies, of which this is the first. The title of the original may name the patient. */
    studyTitle: StudyTitle.optional(),
    /** The number of copies that the new study will have. It is not shared before, and is deleted if it stays unfinished. */
    studyCopies: z.int().positive().max(100_000).optional(),
    /** The caller's study of copies, which an earlier copy from the same study began. */
    studyId: Id.optional(),
  })
  .refine(({ studyTitle, studyId }) => !studyTitle || !studyId, {
    path: ['studyTitle'],
    error: 'Begin a study or name one.',
  })
  .refine(({ studyTitle, studyCopies }) => studyTitle || studyCopies === undefined, {
    path: ['studyCopies'],
    error: 'Only a new study has a planned number of copies.',
  })
  .refine(({ rectangles, studyTitle, studyId }) => rectangles.length > 0 || studyTitle || studyId, {
    path: ['rectangles'],
    error: 'Draw at least one rectangle.',
  });
export type BlackOut = z.infer<typeof BlackOut>;

/** A rectangle lies inside a picture of this size. Lengths beyond it are a mistake or an attack. */
export const liesIn = (
  { x1, y1, frame = 1 }: BlackRectangle,
  { rows, columns, frames }: { rows: number; columns: number; frames: number },
): boolean => x1 <= columns && y1 <= rows && frame <= frames;
