import type { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import type { AnalysisVersion, PreviousAnalysis } from '@lightbox/contract/analysis/schemas.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import { findImage, requireImage } from '@lightbox/core/access/images.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { AnalysisVersionDoc } from '@lightbox/core/models/analysisVersion.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Answer, Context, Gateway } from '../context.js';
import { recordLook } from '../images/looks.js';
import { namesOf } from '../users/names.js';
import { findAnalysis, hidesDrafts } from './analysis.js';
import { versionOf } from './present.js';

/** Lists all runs and signatures, the newest first. A patient's refusal hides the texts that nobody signed. */
export async function listAnalysisVersions(
  context: Context<typeof analysisCalls.listAnalysisVersions>,
): Promise<Answer<AnalysisVersion[]>> {
  const { gateway, viewer, params } = context;
  const { image } = await requireImage(gateway.models, viewer, params.imageId, 'analyse', gateway.clock.now());
  const analysis = await findAnalysis(gateway, image);
  const versions = await gateway.models.AnalysisVersion.find({ image: image._id })
    .sort({ version: -1 })
    .lean<AnalysisVersionDoc[]>();
  const hidden = await hidesDrafts(gateway, image, analysis);
  const name = await namesOf(
    gateway.models,
    versions.flatMap(({ by, run, withdrawn }) => [by, run.by, withdrawn?.by]),
  );
  await recordLook(context, 'analysis.read', image);
  const data = versions.map(
    ({ version, kind, by, at, findings, run, signature, withdrawn }): AnalysisVersion => ({
      version,
      kind,
      at: at.toISOString(),
      by: name(by),
      ...(hidden && kind === 'run' ? {} : { findings }),
      provenance: {
        provider: findings.provider,
        model: findings.model,
        modelVersion: findings.modelVersion ?? null,
        inputSha256: run.inputSha256,
        at: run.at.toISOString(),
        by: name(run.by),
      },
      ...signature,
      ...(withdrawn && {
        withdrawn: { by: name(withdrawn.by), at: withdrawn.at.toISOString(), reason: withdrawn.reason },
      }),
      current: analysis?.signed?.version === version,
    }),
  );
  return { data };
}

/** The number of earlier images that are looked at. */
const EARLIER = 20;

/** Returns the analysis of the patient's image before this one that the viewer may read, else the run before this one. */
export async function getPreviousAnalysis(
  context: Context<typeof analysisCalls.getPreviousAnalysis>,
): Promise<Answer<PreviousAnalysis | null>> {
  const { gateway, viewer, params } = context;
  const { image } = await requireImage(gateway.models, viewer, params.imageId, 'analyse', gateway.clock.now());
  const earlier = image.patient
    ? await gateway.models.Image.find({
        patient: image.patient,
        _id: { $ne: image._id },
        createAt: { $lte: image.createAt },
        $or: [{ analysis: 'completed' }, { hasSigned: true }],
        ...notHeld,
      })
        .sort({ createAt: -1, _id: -1 })
        .limit(EARLIER)
        .lean<ImageDoc[]>()
    : [];
  for (const { _id } of earlier) {
    const access = await findImage(gateway.models, viewer, String(_id), gateway.clock.now());
    if (!access || !imageRules.analyse(viewer, access.facts)) continue;
    const text = await textOf(gateway, access.image);
    if (!text) continue;
    await recordLook(context, 'analysis.read', access.image);
    return { data: { imageId: String(_id), caption: access.image.caption, ...text } };
  }
  const run = await runBefore(gateway, image);
  await recordLook(context, 'analysis.read', image);
  return { data: run && { imageId: String(image._id), caption: image.caption, ...run } };
}

type Text = Pick<PreviousAnalysis, 'at' | 'findings'>;

/** Returns the signed text of an image, else the result of its last run; null when it is withdrawn or may not be read. */
async function textOf(gateway: Gateway, image: ImageDoc): Promise<Text | null> {
  const analysis: AnalysisDoc | null = await findAnalysis(gateway, image);
  const signed = analysis?.signed && (await versionOf(gateway, image, analysis.signed.version));
  if (signed) return { at: signed.at.toISOString(), findings: signed.findings };
  if (!analysis?.findings || analysis.review?.state === 'withdrawn') return null;
  if (await hidesDrafts(gateway, image, analysis)) return null;
  return { at: (analysis.finishedAt ?? analysis.startedAt).toISOString(), findings: analysis.findings };
}

/** Returns the run before the last one, without those whose signature was withdrawn. */
async function runBefore(gateway: Gateway, image: ImageDoc): Promise<Text | null> {
  if (await hidesDrafts(gateway, image, await findAnalysis(gateway, image))) return null;
  const versions = await gateway.models.AnalysisVersion.find({ image: image._id })
    .sort({ version: -1 })
    .lean<AnalysisVersionDoc[]>();
  const withdrawn = new Set(versions.map((one) => one.withdrawn && one.signature?.of));
  const [, ...earlier] = versions.filter(({ kind }) => kind === 'run');
  const before = earlier.find(({ version }) => !withdrawn.has(version));
  return before ? { at: before.at.toISOString(), findings: before.findings } : null;
}
