import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInspector } from '@lightbox/backend/files/inspect.js';
import type { Findings } from '@lightbox/contract/analysis/schemas.js';
import { AnalysisFailed, type AnalysisProvider, NotAnalysable } from '@lightbox/workers/analysis/providers/provider.js';
import type { Pictures } from '@lightbox/workers/previews/preview.js';
import { figuresOf, type Judged } from './figures.js';
import type { LabelTable } from './labels.js';
import type { Evaluation } from './report.js';

export interface Evaluating {
  provider: AnalysisProvider;
  pictures: Pictures;
  folder: string;
  table: LabelTable;
  threshold: number;
  /** The calls that a paid server may get. */
  maxCalls: number;
  signal: AbortSignal;
  /** Gets the number of files that are done. */
  onFile?: (done: number) => void;
}

interface Result {
  truth: Map<string, boolean>;
  modality: string;
  /** By label, in lower case. Null for a provider that gives no probabilities. */
  scores: Map<string, number> | null;
}

/** Analyses every file of the table, and returns the figures. A file without a result is counted by its reason. */
export async function evaluate(options: Evaluating): Promise<Evaluation> {
  const { provider, table, threshold } = options;
  const results: Result[] = [];
  const failed: Record<string, number> = {};
  let modelVersion: string | null = null;
  const takeCall = callsOf(options.maxCalls);
  for (const [at, { file, truth }] of table.rows.entries()) {
    options.signal.throwIfAborted();
    try {
      const { modality, findings } = await analyse(options, file, takeCall);
      modelVersion ??= findings.modelVersion ?? null;
      results.push({ truth, modality, scores: scoresOf(findings) });
    } catch (error) {
      const reason = reasonOf(error);
      failed[reason] = (failed[reason] ?? 0) + 1;
    }
    options.onFile?.(at + 1);
  }
  return {
    at: new Date().toISOString(),
    provider: provider.name,
    model: provider.model,
    modelVersion,
    threshold,
    files: table.rows.length,
    failed,
    figures: table.labels.flatMap((label) => figuresByModality(label, results, threshold)),
  };
}

function callsOf(most: number): () => Promise<void> {
  let calls = 0;
  return async () => {
    if (++calls > most) throw new AnalysisFailed('LIMIT_REACHED', false);
  };
}

async function analyse(
  { provider, pictures, folder, signal }: Evaluating,
  file: string,
  takeCall: () => Promise<void>,
) {
  const bytes = await readFile(join(folder, file));
  const inspector = createInspector({ declaredType: undefined, filename: undefined, maxBytes: bytes.length });
  inspector.write(bytes);
  const { facts } = await inspector.finish();
  const input = { imageId: '', contentType: facts.contentType, bytes, facts };
  const findings = await provider.analyse(input, { signal, pictures, takeCall, onProgress: () => undefined });
  return { modality: facts.dicom?.modality ?? 'none', findings };
}

/** A condition that a model does not name has the probability 0. */
function scoresOf({ assessed, differentialDiagnosis }: Findings): Map<string, number> | null {
  if (!assessed) return null;
  return new Map(differentialDiagnosis.map(({ condition, confidence }) => [condition.toLowerCase(), confidence]));
}

const reasonOf = (error: unknown): string =>
  error instanceof NotAnalysable || error instanceof AnalysisFailed ? error.message : 'The file cannot be read.';

/** Returns the figures over all files, and then by modality if there are several. */
function figuresByModality(label: string, results: readonly Result[], threshold: number): Evaluation['figures'] {
  const judged = results.flatMap(({ truth, modality, scores }) => {
    const said = truth.get(label);
    return scores && said !== undefined ? [{ truth: said, score: scores.get(label.toLowerCase()) ?? 0, modality }] : [];
  });
  if (judged.length === 0) return [];
  const modalities = [...new Set(judged.map(({ modality }) => modality))].sort();
  const of = (some: readonly Judged[]) => figuresOf(some, threshold);
  return [
    { label, modality: 'all', of: of(judged) },
    ...(modalities.length > 1
      ? modalities.map((modality) => ({ label, modality, of: of(judged.filter((one) => one.modality === modality)) }))
      : []),
  ];
}
