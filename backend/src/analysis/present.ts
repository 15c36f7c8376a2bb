import type { AnalysisAnswer, AnalysisResult } from '@lightbox/contract/analysis/schemas.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';

export function presentAnalysis(analysis: AnalysisDoc): AnalysisAnswer {
  const result = presentResult(analysis);
  if (result) return { status: 'completed', ...result };
  if (analysis.status === 'failed') return { status: 'failed', ...presentFailure(analysis) };
  return { status: analysis.status === 'active' ? 'active' : 'queued', progress: analysis.progress };
}

export const presentFailure = ({ reason = '', reasonCode }: AnalysisDoc) => ({
  reason,
  ...(reasonCode ? { reasonCode } : {}),
});

/** Returns the finished result, or null while there is none. */
export function presentResult(analysis: AnalysisDoc): AnalysisResult | null {
  if (analysis.status !== 'completed' || !analysis.findings) return null;
  return {
    ...analysis.findings,
    imageId: String(analysis._id),
    timestamp: (analysis.finishedAt ?? analysis.startedAt).toISOString(),
  };
}
