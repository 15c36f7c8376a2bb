import type { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import { readingRule } from '@lightbox/contract/analysis/policy.js';
import type { AnalysisAnswer, AnalysisTarget } from '@lightbox/contract/analysis/schemas.js';
import { analysisMoves, isUnderWay } from '@lightbox/contract/analysis/states.js';
import { holdImage } from '@lightbox/core/access/hold.js';
import { analysisReaders, requireImage } from '@lightbox/core/access/images.js';
import { analysisConsent, holdConsent } from '@lightbox/core/analysis/consent.js';
import { mayMove, underWay } from '@lightbox/core/analysis/moves.js';
import { analysisTarget } from '@lightbox/core/config/ai.js';
import { isDuplicate } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ClientSession } from 'mongoose';
import { askForConsent } from '../consents/consents.js';
import type { Answer, Context, Gateway } from '../context.js';
import { recordLook } from '../images/looks.js';
import { presentAnalysis, presentSigned } from './present.js';

type Reading = Context<typeof analysisCalls.getAnalysis>;
type Starting = Reading | Context<typeof analysisCalls.startAnalysis>;

/** Returns the analysis of the image. The first request of staff starts it. A patient gets the signed text alone. */
export async function getAnalysis(context: Reading): Promise<Answer<AnalysisAnswer>> {
  const { gateway, viewer } = context;
  const rule = readingRule(viewer.role);
  const { image } = await requireImage(gateway.models, viewer, context.params.imageId, rule, gateway.clock.now());
  const found = await findAnalysis(gateway, image);
  if (rule === 'readSigned' || (await hidesDrafts(gateway, image, found))) {
    const signed = found && (await presentSigned(gateway, viewer, image, found));
    if (!signed) throw new AppError(rule === 'readSigned' ? 'NOT_FOUND' : 'CONSENT_NEEDED');
    await recordLook(context, 'analysis.read', image);
    return { data: { status: 'completed', ...signed } };
  }
  const analysis = found ?? (await start(context, image));
  await recordLook(context, 'analysis.read', image);
  return answer(context, image, analysis);
}

/** Returns the provider, and the host that would get the picture. */
export const getAnalysisTarget = async ({
  gateway,
}: Context<typeof analysisCalls.getAnalysisTarget>): Promise<Answer<AnalysisTarget>> => ({
  data: analysisTarget(gateway.config.ai),
});

/** Starts a new run, or returns the one that is under way. */
export async function startAnalysis(
  context: Context<typeof analysisCalls.startAnalysis>,
): Promise<Answer<AnalysisAnswer>> {
  const { gateway, viewer, params } = context;
  const { image } = await requireImage(gateway.models, viewer, params.imageId, 'analyse', gateway.clock.now());
  return answer(context, image, await start(context, image));
}

export const findAnalysis = ({ models }: Gateway, { _id }: Pick<ImageDoc, '_id'>) =>
  models.Analysis.findById(_id).readConcern(NEWEST).lean<AnalysisDoc>();

/** True when the patient refuses analyses, so that staff read signed texts only. Without an analysis there is no draft. */
export const hidesDrafts = async (gateway: Gateway, image: ImageDoc, analysis: AnalysisDoc | null): Promise<boolean> =>
  analysis !== null && (await analysisConsent(gateway, image)) === 'refused';

async function start(context: Starting, image: ImageDoc): Promise<AnalysisDoc> {
  const { gateway, actor, viewer } = context;
  if (image.contentType === 'application/pdf') throw new AppError('NOT_ANALYSABLE');
  await requireConsent(context, image);
  const running = await gateway.models.Analysis.findOne({ _id: image._id, ...underWay }).lean<AnalysisDoc>();
  if (running) return running;
  await gateway.throttle.take('analysis', { caller: viewer.id });
  try {
    await gateway.events.change(actor, async (tx) => {
      if (!(await queue(gateway, image, viewer, tx.session))) return image._id;
      if ((await holdConsent(gateway, image, tx.session)) !== 'granted') throw new AppError('CONSENT_NEEDED');
      const { owner } = await holdImage(gateway.models, image._id, tx.session);
      await gateway.models.Image.updateOne(
        { _id: image._id },
        { $set: { analysis: analysisMoves.request.to } },
        { session: tx.session },
      );
      tx.record({
        type: 'analysis.request',
        record: image._id,
        owners: [owner],
        recipients: await analysisReaders(gateway.models, image, gateway.clock.now()),
      });
      return image._id;
    });
  } catch (error) {
    // Of two concurrent first requests one creates the run, which serves both.
    if (!isDuplicate(error)) throw error;
  }
  const analysis = await findAnalysis(gateway, image);
  if (!analysis) throw new AppError('NOT_FOUND');
  return analysis;
}

/** Without the patient's consent nothing is analysed. A patient who has not answered is asked. */
async function requireConsent(context: Starting, image: ImageDoc): Promise<void> {
  const consent = await analysisConsent(context.gateway, image);
  if (consent === 'granted') return;
  if (consent === 'unset' && image.patient) await askForConsent(context, image.patient);
  throw new AppError('CONSENT_NEEDED');
}

/** Queues a run. Returns true when this call started it. */
async function queue(
  gateway: Gateway,
  image: ImageDoc,
  viewer: Starting['viewer'],
  session: ClientSession,
): Promise<boolean> {
  const now = gateway.clock.now();
  const fresh = { status: analysisMoves.request.to, progress: 0, requestedBy: viewer._id, startedAt: now };
  const existing = await gateway.models.Analysis.findById(image._id, null, { session }).lean<AnalysisDoc>();
  if (!existing) {
    await gateway.models.Analysis.create([{ _id: image._id, run: 1, ...fresh }], { session });
    return true;
  }
  const again = await gateway.models.Analysis.updateOne(
    { _id: image._id, run: existing.run, ...mayMove('request') },
    { $set: fresh, $inc: { run: 1 }, $unset: { findings: 1, reason: 1, reasonCode: 1, finishedAt: 1 } },
    { session },
  );
  return again.modifiedCount === 1;
}

async function answer({ gateway, viewer }: Starting, image: ImageDoc, analysis: AnalysisDoc) {
  const data = await presentAnalysis(gateway, viewer, image, analysis);
  return { data, status: isUnderWay(data.status) ? (202 as const) : (200 as const) };
}
