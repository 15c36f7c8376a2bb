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

/** Pixels have at most 32 bits; a modality LUT may enlarge their values. */
const PixelValue = z.number().min(-1e12).max(1e12);

/**
 * The values of the pixels at a probe, or in an ellipse, after the modality LUT. The author's viewer measures them, because
 * the gateway decodes no pixels; they are the author's statement, as points and words are.
 */
export const PixelValues = z.strictObject({
  mean: PixelValue,
  /** The standard deviation in an ellipse. */
  deviation: PixelValue.nonnegative().optional(),
});
export type PixelValues = z.infer<typeof PixelValues>;

/** A measurement or an arrow on one frame. Lengths, angles and areas are computed from the points wherever they are shown. */
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
    /** Absent for pictures in colour, and until a viewer that shows the frame has measured. */
    pixels: PixelValues.optional(),
  })
  .superRefine(({ kind, points, text: words, pixels }, context) => {
    if (points.length !== markPoints[kind]) {
      context.addIssue({ code: 'custom', path: ['points'], message: 'Has the wrong number of points.' });
    }
    if (words !== undefined && kind !== 'arrow') {
      context.addIssue({ code: 'custom', path: ['text'], message: 'Only an arrow has a text.' });
    }
    const mayHave = kind === 'probe' || kind === 'ellipse';
    if (pixels && (!mayHave || (pixels.deviation === undefined) === (kind === 'ellipse'))) {
      context.addIssue({ code: 'custom', path: ['pixels'], message: 'The kind of mark has no such values.' });
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
