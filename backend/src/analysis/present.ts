import { isSignersOwn, readingRule } from '@lightbox/contract/analysis/policy.js';
import type { AnalysisAnswer, AnalysisResult, Findings, Review } from '@lightbox/contract/analysis/schemas.js';
import { reachOf } from '@lightbox/core/access/openable.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { AnalysisVersionDoc } from '@lightbox/core/models/analysisVersion.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Gateway, Viewer } from '../context.js';
import { namesOf } from '../users/names.js';

type Of = Pick<ImageDoc, '_id' | 'study' | 'patient'>;
type Who = Pick<Viewer, 'id' | 'role'>;

/** Presents an analysis to staff: the text that the state of its review says, or the state of the run. */
export async function presentAnalysis(
  gateway: Gateway,
  viewer: Who,
  image: Of,
  analysis: AnalysisDoc,
): Promise<AnalysisAnswer> {
  const result = await presentResult(gateway, viewer, image, analysis);
  if (result) return { status: 'completed', ...result };
  if (analysis.status === 'failed') return { status: 'failed', ...presentFailure(analysis) };
  return { status: analysis.status === 'active' ? 'active' : 'queued', progress: analysis.progress };
}

export const presentFailure = ({ reason = '', reasonCode }: AnalysisDoc) => ({
  reason,
  ...(reasonCode ? { reasonCode } : {}),
});

/** Returns the finished result, or null while there is none. */
export async function presentResult(
  gateway: Gateway,
  viewer: Who,
  image: Of,
  analysis: AnalysisDoc,
): Promise<AnalysisResult | null> {
  const { status, findings, review } = analysis;
  if (status !== 'completed' || !findings) return null;
  if (review?.state === 'signed') return presentSigned(gateway, viewer, image, analysis);
  const at = analysis.finishedAt ?? analysis.startedAt;
  return {
    ...findings,
    imageId: String(image._id),
    timestamp: at.toISOString(),
    review: await presentReview(gateway, analysis),
    stale: await isStale(gateway, viewer, image, { findings, at }),
    ...(analysis.version === undefined ? {} : { version: analysis.version }),
  };
}

/** Returns the signed text, or null when there is none. It stays the same during a new run. */
export async function presentSigned(
  gateway: Gateway,
  viewer: Who,
  image: Of,
  analysis: AnalysisDoc,
): Promise<AnalysisResult | null> {
  const signed = analysis.signed && (await versionOf(gateway, image, analysis.signed.version));
  if (!signed?.signature) return null;
  const { by, at, version, run } = signed;
  const findings = readingRule(viewer.role) === 'analyse' ? signed.findings : withoutHeatMap(signed.findings);
  const { comment, edited } = signed.signature;
  const signedBy = (await namesOf(gateway.models, [by]))(by);
  const [signedAt, said] = [at.toISOString(), comment === undefined ? {} : { comment }];
  return {
    ...findings,
    imageId: String(image._id),
    timestamp: run.at.toISOString(),
    review: { state: 'signed', by: signedBy, at: signedAt, ...said },
    stale: version !== analysis.version || (await isStale(gateway, viewer, image, { findings, at: run.at })),
    version,
    signedBy,
    signedAt,
    ...said,
    edited,
    notADiagnosis: !isSignersOwn(findings, edited),
  };
}

/** A patient reads the words that a clinician has signed. */
const withoutHeatMap = ({ heatMap: _, ...findings }: Findings): Findings => findings;

export const versionOf = ({ models }: Gateway, { _id: image }: Of, version: number) =>
  models.AnalysisVersion.findOne({ image, version }).readConcern(NEWEST).lean<AnalysisVersionDoc>();

async function presentReview({ models }: Gateway, { review }: AnalysisDoc): Promise<Review> {
  if (!review) return { state: 'none' };
  const { state, by, at, comment } = review;
  return {
    state,
    ...(by ? { by: (await namesOf(models, [by]))(by) } : {}),
    ...(at ? { at: at.toISOString() } : {}),
    ...(comment === undefined ? {} : { comment }),
  };
}

/**
 * True when the configured model is another one, or the study or patient has a newer image. Only images count whose
 * originals the viewer may open: that another one is of the same patient is not for them to learn.
 */
async function isStale(
  { models, config, clock }: Gateway,
  viewer: Who,
  { _id, study, patient }: Of,
  { findings, at }: Pick<AnalysisVersionDoc, 'findings' | 'at'>,
): Promise<boolean> {
  const { provider, model } = config.ai;
  if (findings.provider !== provider || (model !== null && findings.model !== model)) return true;
  const related = [...(study ? [{ study }] : []), ...(patient ? [{ patient }] : [])];
  if (related.length === 0) return false;
  const { images } = await reachOf(models, viewer, clock.now());
  const newer = { _id: { $ne: _id }, createAt: { $gt: at }, ...notHeld, $and: [{ $or: related }, images] };
  return (await models.Image.exists(newer)) !== null;
}
