import { z } from 'zod';
import { Id, Time, text } from '../ids.js';
import { limits } from '../limits.js';
import { Frame, Pixel } from '../together/schemas.js';
import { UserRef } from '../users/schemas.js';

/**
 * The number of points of each kind of mark. Length: its ends. Angle: its vertex is the second point. Ellipse: the ends of
 * its two axes. Probe: its place. Arrow: its tip, then its other end.
 */
export const markPoints = { length: 2, angle: 3, ellipse: 4, probe: 1, arrow: 2 } as const;
export type MarkKind = keyof typeof markPoints;
export const markKinds = Object.keys(markPoints) as MarkKind[];

/** A measurement or an arrow on one frame. Its value is computed from the points wherever it is shown. */
export const Mark = z
  .strictObject({
    /** The client chooses it. */
    id: z.uuid(),
    kind: z.enum(markKinds),
    frame: Frame,
    /** Column and row in pixels of the frame. The middle of the first pixel is 0, 0. */
    points: z.array(z.tuple([Pixel, Pixel])).max(4),
    /** Words at an arrow. */
    text: text(limits.markText).optional(),
  })
  .superRefine(({ kind, points, text: words }, context) => {
    if (points.length !== markPoints[kind]) {
      context.addIssue({ code: 'custom', path: ['points'], message: 'Has the wrong number of points.' });
    }
    if (words !== undefined && kind !== 'arrow') {
      context.addIssue({ code: 'custom', path: ['text'], message: 'Only an arrow has a text.' });
    }
  });
export type Mark = z.infer<typeof Mark>;

export const Marks = z
  .array(Mark)
  .max(limits.marks)
  .refine((marks) => new Set(marks.map(({ id }) => id)).size === marks.length, 'Two marks have the same id.');

/** The marks of one author on one image. */
export const Layer = z.object({
  id: Id,
  imageId: Id,
  /** Absent for guests, and for people who do not find the author in the directory. */
  author: UserRef.optional(),
  /** True: everybody who may open the image sees it. False: its author alone. */
  shared: z.boolean(),
  version: z.int().positive(),
  updateAt: Time,
  marks: z.array(Mark),
});
export type Layer = z.infer<typeof Layer>;

/** A layer as its author saves it. `version`: the one that was read, 0 when there was none. */
export const SaveLayer = z.strictObject({
  version: z.int().nonnegative(),
  shared: z.boolean(),
  marks: Marks,
});
export type SaveLayer = z.infer<typeof SaveLayer>;

export const Layers = z.object({
  layers: z.array(Layer),
  /** True when the viewer may keep a layer of their own. */
  mayAnnotate: z.boolean(),
});
export type Layers = z.infer<typeof Layers>;

/** Structured report (TID 1500), or Grayscale Softcopy Presentation State. */
export const exportFormats = ['sr', 'gsps'] as const;
export type ExportFormat = (typeof exportFormats)[number];
