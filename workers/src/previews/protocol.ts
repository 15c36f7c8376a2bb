import { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import { voiFunctions } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import { Drawing, Tags } from '@lightbox/core/imaging/drawing.js';
import { isFormat, pictureFormats } from '@lightbox/core/imaging/formats.js';
import { z } from 'zod';
import type { FrameLimits } from './frames.js';
import type { Measurements } from './measure.js';
import type { ForModel, Rendered } from './rendered.js';

/** The results of the tasks of the process that decodes files. */
export interface Tasks {
  /** Preview, drawing and tags of a file. */
  prepare: Prepared;
  /** One frame or page, as a picture. */
  frame: Rendered;
  /** A small square of a picture of a person. */
  photo: Rendered;
  forModel: ForModel;
  /** The plain values of a picture for a classifier, of the size of `Grid`. */
  pixels: Rendered;
  measurements: Measurements;
  /** A file in which rectangles are black. Its facts and bytes are in the parts. */
  blackOut: BlackedOut;
}

export interface BlackedOut {
  done: true;
}

const taskNames = [
  'prepare',
  'frame',
  'photo',
  'forModel',
  'pixels',
  'measurements',
  'blackOut',
] as const satisfies (keyof Tasks)[];
export type TaskName = (typeof taskNames)[number];

const window = z.object({
  center: z.number(),
  width: z.number().positive(),
  voiFunction: z.enum(voiFunctions).optional(),
});
/** The frame or page that the task `frame` draws, from 1, its window if not the file's own, and the format. */
export const FrameChoice = z.object({
  frame: z.int().positive(),
  window: window.optional(),
  /** WebP by default. */
  format: z.enum(pictureFormats).optional(),
});
export type FrameChoice = z.infer<typeof FrameChoice>;

/** The size of the values that the task `pixels` gives: one byte for each of 1 or 3 channels, row after row. */
export const Grid = z.object({
  width: z.int().positive().max(2048),
  height: z.int().positive().max(2048),
  channels: z.union([z.literal(1), z.literal(3)]),
});
export type Grid = z.infer<typeof Grid>;

/** The rectangles that the task `blackOut` makes black. */
const Rectangles = z.array(BlackRectangle).min(1).max(limits.blackRectangles).readonly();

/** The first part of the answer to `blackOut`, in JSON. The further parts have `length` bytes together. */
export const BlackedOutFacts = z.union([
  z.object({
    pixels: z.object({
      length: z.int().positive().max(0xfffffffe),
      bitsAllocated: z.literal([1, 8, 16, 32]),
      bitsStored: z.int().positive().max(32),
      photometric: z.enum(['MONOCHROME1', 'MONOCHROME2', 'PALETTE COLOR', 'RGB', 'YBR_FULL']),
      samples: z.literal([1, 3]),
      padding: z.int().min(-32_768).max(32_767).optional(),
    }),
  }),
  z.object({ picture: z.object({ length: z.int().positive() }) }),
]);

/** Header of a frame with a task. The body is the file. */
export const TaskHeader = z.object({
  name: z.enum(taskNames),
  contentType: z.string().max(100),
  choice: FrameChoice.optional(),
  grid: Grid.optional(),
  rectangles: Rectangles.optional(),
  /** The asker knows the answers `begun` and `stopping` of the service. */
  tells: z.literal(true).optional(),
});

export interface Task extends z.infer<typeof TaskHeader> {
  bytes: Uint8Array;
}

/** The facts of a prepared file, in JSON in the body of an answer. */
const PreparedFacts = z.object({ drawing: Drawing, tags: Tags });

/** Takes the next plain bytes. Resolves when there is room for more. */
export type SendPart = (part: Buffer) => Promise<void>;

export interface Prepared extends z.infer<typeof PreparedFacts> {
  /** Null when the file cannot be drawn. */
  preview: Rendered | null;
}

const share = z.number();
const MeasurementsHeader = z.object({
  width: z.int().positive(),
  height: z.int().positive(),
  mean: z.number(),
  sd: z.number(),
  min: z.number(),
  max: z.number(),
  percentiles: z.object({ p1: z.number(), p5: z.number(), p50: z.number(), p95: z.number(), p99: z.number() }),
  black: share,
  white: share,
  histogram: z.array(share).length(16),
  sharpness: z.number(),
  noise: z.number(),
  colour: z.boolean(),
  bitDepth: z.int(),
  values: z.object({ min: z.number(), max: z.number(), mean: z.number() }).nullable(),
}) satisfies z.ZodType<Measurements>;

const Size = z.object({ width: z.int().positive(), height: z.int().positive() });

/**
 * Header of a frame with an answer. `unreadable`: the file cannot be drawn, so a retry is useless. `crashed`: the renderer
 * service lost the process that drew it. `begun`: the service decodes the file from now on, and the answer follows. `stopping`:
 * it was told to end, and the file is not the cause. `rss`: memory of the process in bytes. The body is the picture. `part`: the body
 * is the next part of the plain frames, and the answer follows. `prepared`: the body is the preview, if there is one, and
 * behind it `PreparedFacts` of this length.
 */
export const AnswerHeader = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ begun: z.literal(true) }),
  z.object({ stopping: z.literal(true) }),
  z.object({ unreadable: z.literal(true), rss: z.number().optional() }),
  z.object({ crashed: z.string().max(200) }),
  z.object({ part: z.literal(true) }),
  z.object({ prepared: z.object({ preview: Size.nullable(), facts: z.int().positive() }), rss: z.number().optional() }),
  z.object({ picture: Size, hasText: z.boolean().optional(), rss: z.number().optional() }),
  z.object({ measurements: MeasurementsHeader, rss: z.number().optional() }),
  z.object({ blackedOut: z.literal(true), rss: z.number().optional() }),
]);
export type AnswerHeader = z.infer<typeof AnswerHeader>;

/** Larger than any picture of 2,048 pixels a side, and than the facts of any file. */
export const answerLimits: FrameLimits = { header: 64 * 1024, body: 32 * 1024 * 1024 };
/** A setting limits uploads to 512 MB at most. The header has room for the most rectangles. */
export const taskLimits: FrameLimits = { header: 32 * 1024, body: 513 * 1024 * 1024 };

/** Returns the result of the task, or null when the file cannot be drawn or the answer belongs to another task. */
export function resultOf<Name extends TaskName>(name: Name, header: AnswerHeader, body: Buffer): Tasks[Name] | null {
  return results[name](header, body);
}

type Results = { [Name in TaskName]: (header: AnswerHeader, body: Buffer) => Tasks[Name] | null };

/** A hostile renderer must not return anything but the picture or the facts that were asked for. */
const results: Results = {
  prepare: (header, body) => {
    if (!('prepared' in header)) return null;
    const { preview, facts } = header.prepared;
    const bytes = body.subarray(0, body.length - facts);
    if (preview && !isWebp(bytes)) return null;
    const read = PreparedFacts.safeParse(parsed(body.toString('utf8', bytes.length)));
    return read.success ? { ...read.data, preview: preview && { ...preview, bytes } } : null;
  },
  frame: (header, body) =>
    'picture' in header && pictureFormats.some((format) => isFormat(body, format))
      ? { ...header.picture, bytes: body }
      : null,
  photo: (header, body) => ('picture' in header && isWebp(body) ? { ...header.picture, bytes: body } : null),
  forModel: (header, body) =>
    'picture' in header && header.hasText !== undefined && isPng(body)
      ? { ...header.picture, bytes: body, hasText: header.hasText }
      : null,
  pixels: (header, body) => ('picture' in header ? { ...header.picture, bytes: body } : null),
  measurements: (header) => ('measurements' in header ? header.measurements : null),
  blackOut: (header) => ('blackedOut' in header ? { done: true } : null),
};

/** Returns null for a text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the frame with the answer of a task. */
export function answerOf<Name extends TaskName>(
  name: Name,
  result: Tasks[Name],
): { header: AnswerHeader; body?: Buffer } {
  if (name === 'measurements') return { header: { measurements: result as Measurements } };
  if (name === 'blackOut') return { header: { blackedOut: true } };
  if (name !== 'prepare') {
    const { bytes, width, height, ...more } = result as Rendered | ForModel;
    return { header: { picture: { width, height }, ...more }, body: bytes };
  }
  const { preview, drawing, tags } = result as Prepared;
  const facts = Buffer.from(JSON.stringify({ drawing, tags }));
  const size = preview && { width: preview.width, height: preview.height };
  const body = Buffer.concat([preview?.bytes ?? Buffer.alloc(0), facts]);
  return { header: { prepared: { preview: size, facts: facts.length } }, body };
}

const isWebp = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
const isPng = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n';
