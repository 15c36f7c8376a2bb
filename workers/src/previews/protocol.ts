import { z } from 'zod';
import type { Rendered } from './decode.js';
import type { FrameLimits } from './frames.js';
import type { Measurements } from './measure.js';

/** The results of the tasks of the process that decodes files. */
export interface Tasks {
  preview: Rendered;
  forModel: Rendered;
  measurements: Measurements;
}

export const taskNames = ['preview', 'forModel', 'measurements'] as const satisfies (keyof Tasks)[];
export type TaskName = (typeof taskNames)[number];

/** Header of a frame with a task. The body is the file. */
export const TaskHeader = z.object({ name: z.enum(taskNames), contentType: z.string().max(100) });

export interface Task extends z.infer<typeof TaskHeader> {
  bytes: Uint8Array;
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

/**
 * Header of a frame with an answer. `unreadable`: the file cannot be drawn, so a retry is useless. `crashed`: the renderer
 * service lost the process that drew it. `rss`: memory of the process in bytes. The body is the picture.
 */
export const AnswerHeader = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ unreadable: z.literal(true), rss: z.number().optional() }),
  z.object({ crashed: z.string().max(200) }),
  z.object({
    picture: z.object({ width: z.int().positive(), height: z.int().positive() }),
    rss: z.number().optional(),
  }),
  z.object({ measurements: MeasurementsHeader, rss: z.number().optional() }),
]);
export type AnswerHeader = z.infer<typeof AnswerHeader>;

/** Larger than any picture of 1,024 pixels a side. */
export const answerLimits: FrameLimits = { header: 64 * 1024, body: 16 * 1024 * 1024 };
/** A setting limits uploads to 512 MB at most. */
export const taskLimits: FrameLimits = { header: 4 * 1024, body: 513 * 1024 * 1024 };

/** Returns the result of the task, or null when the file cannot be drawn or the answer belongs to another task. */
export function resultOf<Name extends TaskName>(name: Name, header: AnswerHeader, body: Buffer): Tasks[Name] | null {
  if (name === 'measurements') return 'measurements' in header ? (header.measurements as Tasks[Name]) : null;
  if (!('picture' in header) || !signatures[name as keyof typeof signatures](body)) return null;
  return { ...header.picture, bytes: body } as Tasks[Name];
}

/** File signatures: a hostile renderer must not return anything but the picture that was asked for. */
const signatures = {
  preview: (bytes: Buffer) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  forModel: (bytes: Buffer) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n',
};
