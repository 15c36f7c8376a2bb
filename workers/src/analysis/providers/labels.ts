import { readFileSync } from 'node:fs';
import { type Modality, modalities } from '@lightbox/contract/analysis/modalities.js';
import { ConfigError } from '@lightbox/core/config/env.js';
import { z } from 'zod';

const side = z.int().min(8).max(2048);
const perChannel = z.array(z.number()).min(1).max(3);
const words = z.string().trim().min(1).max(200);

/** The file that describes a classifier (`docs/analysis-providers.md`). */
export const ClassifierFile = z
  .strictObject({
    name: words,
    version: words.optional(),
    labels: z.array(words).min(1).max(50),
    input: z.strictObject({
      width: side,
      height: side,
      channels: z.union([z.literal(1), z.literal(3)]),
      mean: perChannel,
      std: perChannel,
      layout: z.enum(['nchw', 'nhwc']).default('nchw'),
    }),
    output: z.strictObject({
      /** The name of the output with one number for each label. Without it, the first output. */
      name: words.optional(),
      activation: z.enum(['softmax', 'sigmoid', 'none']),
      /** The name of an output with one map for each label, or one map for all. */
      heatMap: words.optional(),
    }),
    madeFor: z.strictObject({
      modalities: z.array(z.enum(Object.keys(modalities) as [Modality, ...Modality[]])),
      bodyParts: z.array(words).min(1).optional(),
      /** True when it takes JPEG and PNG pictures, which name no modality. */
      pictures: z.boolean().default(false),
    }),
    calibration: z
      .union([
        z.strictObject({ temperature: z.number().positive() }),
        z.strictObject({ platt: z.array(z.strictObject({ a: z.number(), b: z.number() })) }),
      ])
      .optional(),
  })
  .superRefine(({ labels, input, output, madeFor, calibration }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (new Set(labels).size < labels.length) refuse('one label stands twice');
    for (const name of ['mean', 'std'] as const)
      if (input[name].length !== input.channels) refuse(`input.${name} needs one number for each channel`);
    if (input.std.some((value) => value <= 0)) refuse('input.std must be above 0');
    if (madeFor.modalities.length === 0 && !madeFor.pictures) refuse('madeFor names no kind of picture');
    if (!calibration) return;
    if (output.activation === 'none') refuse('calibration needs the activation softmax or sigmoid');
    if (!('platt' in calibration)) return;
    if (output.activation !== 'sigmoid') refuse('calibration.platt needs the activation sigmoid');
    if (calibration.platt.length !== labels.length) refuse('calibration.platt needs one row for each label');
  });
export type ClassifierFile = z.infer<typeof ClassifierFile>;

/** Reads and checks the file. Throws a ConfigError in plain words. */
export function readClassifierFile(path: string): ClassifierFile {
  const refuse = (why: string) => new ConfigError(`Lightbox cannot use AI_ONNX_LABELS (${path}): ${why}.`);
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refuse(error instanceof SyntaxError ? 'the file is no JSON' : 'the file cannot be read');
  }
  const parsed = ClassifierFile.safeParse(json);
  if (parsed.success) return parsed.data;
  throw refuse(
    parsed.error.issues.map(({ path: at, message }) => [at.join('.'), message].filter(Boolean).join(': ')).join('; '),
  );
}

/**
 * Returns the probabilities of the labels: the activation of the raw outputs, after the calibration that the file gives.
 * Temperature divides the raw outputs by one number. Platt scaling takes a × output + b for each label.
 */
export function probabilitiesOf(raw: readonly number[], { output, calibration }: ClassifierFile): number[] {
  const logits = raw.map((value, at) => {
    if (!calibration) return value;
    if ('temperature' in calibration) return value / calibration.temperature;
    const { a, b } = calibration.platt[at] ?? { a: 1, b: 0 };
    return a * value + b;
  });
  switch (output.activation) {
    case 'none':
      return logits;
    case 'sigmoid':
      return logits.map((value) => 1 / (1 + Math.exp(-value)));
    case 'softmax': {
      const most = Math.max(...logits);
      const powers = logits.map((value) => Math.exp(value - most));
      const sum = powers.reduce((total, power) => total + power, 0);
      return powers.map((power) => power / sum);
    }
  }
}
