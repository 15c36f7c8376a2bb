import { existsSync } from 'node:fs';
import type { Findings, HeatMap } from '@lightbox/contract/analysis/schemas.js';
import { inEnglish, type Sentence, sentence } from '@lightbox/contract/analysis/sentences.js';
import type { AiConfig } from '@lightbox/core/config/ai.js';
import { ConfigError } from '@lightbox/core/config/env.js';
import { ClassifierThread } from './classifierThread.js';
import { type ClassifierFile, probabilitiesOf, readClassifierFile } from './labels.js';
import { qualityWarnings } from './local.js';
import type { ThreadAnswer } from './onnxThread.js';
import {
  AnalysisFailed,
  type AnalysisInput,
  type AnalysisProvider,
  type AnalysisRun,
  NotAnalysable,
  requirePicture,
  undrawable,
} from './provider.js';
import { RUNTIME_VERSION, runtimeName, runtimes } from './runtime.js';

/** The digits of a probability that a classifier gives: its own numbers, float32, have no more. */
const DIGITS = 6;

/** Side of the largest grid of a heat map that is kept. */
const HEAT_SIDE = 64;

/** Asks a classifier of the clinic's own, on this machine. */
export function onnxProvider({ onnxModel, onnxLabels }: Pick<AiConfig, 'onnxModel' | 'onnxLabels'>): AnalysisProvider {
  const model = onnxModel ?? '';
  if (!existsSync(model)) throw new ConfigError(`Lightbox cannot use AI_ONNX_MODEL (${model}): there is no such file.`);
  const file = readClassifierFile(onnxLabels ?? '');
  if (!runtimeName()) {
    const command = 'npm install --no-save --ignore-scripts';
    const commands = runtimes.map((name) => `${command} ${name}@${RUNTIME_VERSION}`).join(', or ');
    throw new ConfigError(`AI_PROVIDER=onnx needs a runtime, which is not installed. Run: ${commands}.`);
  }
  const { input, output, labels } = file;
  const thread = new ClassifierThread({ model, input, output, labels: labels.length });
  return {
    name: 'onnx',
    model: file.name,
    labels,
    async analyse(picture: AnalysisInput, { signal, onProgress, pictures }: AnalysisRun): Promise<Findings> {
      requirePicture(picture);
      requireMadeFor(file, picture);
      const { width, height, channels } = input;
      const pixels = await pictures.pixels(picture.bytes, picture.contentType, { width, height, channels });
      signal.throwIfAborted();
      if (!pixels) throw undrawable();
      onProgress(30);
      const answer = await thread.run(pixels, signal).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw new AnalysisFailed('CLASSIFIER_FAILED', true, { cause });
      });
      if ('fault' in answer)
        throw answer.fault === 'misfit'
          ? new AnalysisFailed('CLASSIFIER_MISFIT', false)
          : new AnalysisFailed('CLASSIFIER_FAILED', true);
      onProgress(70);
      const measured = await pictures.measure(picture.bytes, picture.contentType);
      onProgress(90);
      return findings(file, answer, measured ? qualityWarnings(picture, measured) : []);
    },
  };
}

/** Throws unless the classifier was made for this kind of picture. A picture that names no body part is refused too. */
function requireMadeFor({ madeFor }: ClassifierFile, { facts: { dicom } }: AnalysisInput): void {
  if (!dicom) {
    if (!madeFor.pictures) throw new NotAnalysable('NOT_MADE_FOR');
    return;
  }
  const modalities: readonly string[] = madeFor.modalities;
  if (!modalities.includes(dicom.modality ?? '')) throw new NotAnalysable('NOT_MADE_FOR');
  const parts = madeFor.bodyParts?.map((part) => part.toUpperCase());
  if (parts && !parts.includes(dicom.bodyPart ?? '')) throw new NotAnalysable('NOT_MADE_FOR_PART');
}

type Found = Exclude<ThreadAnswer, { fault: unknown }>;

function findings(file: ClassifierFile, { raw, heat }: Found, quality: Sentence[]): Findings {
  const probabilities = probabilitiesOf(raw, file);
  if (!probabilities.every((value) => value >= 0 && value <= 1)) throw new AnalysisFailed('CLASSIFIER_MISFIT', false);
  const ranked = file.labels
    .map((condition, at) => ({ condition, confidence: Number((probabilities[at] ?? 0).toPrecision(DIGITS)), at }))
    .sort((a, b) => b.confidence - a.confidence);
  const [top] = ranked;
  const { modalities, bodyParts } = file.madeFor;
  const made = modalities.join(', ') || 'JPEG, PNG';
  const said = {
    description: [
      sentence('CLASSIFIER', { name: file.name, count: file.labels.length }),
      bodyParts
        ? sentence('MADE_FOR_PARTS', { modalities: made, parts: bodyParts.join(', ') })
        : sentence('MADE_FOR', { modalities: made }),
      ...(file.calibration ? [sentence('CALIBRATED')] : []),
    ],
    warnings: [sentence('CLASSIFIER_LIMITS'), ...(file.calibration ? [] : [sentence('NOT_CALIBRATED')]), ...quality],
  };
  const heatMap = heat && top ? heatMapOf(heat, top) : undefined;
  return {
    description: said.description.map(inEnglish).join(' '),
    differentialDiagnosis: ranked.map(({ condition, confidence }) => ({ condition, confidence })),
    treatment: [],
    followUp: [],
    warnings: said.warnings.map(inEnglish),
    confidence: top?.confidence ?? null,
    assessed: true,
    provider: 'onnx',
    model: file.name,
    ...(file.version ? { modelVersion: file.version } : {}),
    said,
    ...(heatMap ? { heatMap } : {}),
  };
}

/** Returns the map of the first label as bytes: 0 for its lowest value, 255 for its highest. */
function heatMapOf(heat: NonNullable<Found['heat']>, { condition: label, at }: { condition: string; at: number }) {
  const { width, height, maps, values } = heat;
  if (width > HEAT_SIDE || height > HEAT_SIDE) return undefined;
  const map = maps === 1 ? values : values.subarray(at * width * height, (at + 1) * width * height);
  const [low, high] = map.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
  // A map of one value, or with a value that is no number, points nowhere.
  if (!(high > low) || !Number.isFinite(high - low)) return undefined;
  const bytes = Uint8Array.from(map, (value) => Math.round(((value - low) / (high - low)) * 255));
  return { label, width, height, values: Buffer.from(bytes).toString('base64') } satisfies HeatMap;
}
