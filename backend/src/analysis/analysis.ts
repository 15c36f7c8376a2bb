import type { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import type { AnalysisAnswer } from '@lightbox/contract/analysis/schemas.js';
import { analysisMoves, isUnderWay } from '@lightbox/contract/analysis/states.js';
import { holdImage } from '@lightbox/core/access/hold.js';
import { analysisReaders, requireImage } from '@lightbox/core/access/images.js';
import { mayMove, underWay } from '@lightbox/core/analysis/moves.js';
import { isDuplicate } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ClientSession } from 'mongoose';
import type { Answer, Context, Gateway } from '../context.js';
import { recordLook } from '../images/looks.js';
import { presentAnalysis } from './present.js';

type Call = typeof analysisCalls.getAnalysis | typeof analysisCalls.startAnalysis;

/** Returns the analysis of the image. The first request starts it. */
export async function getAnalysis(context: Context<typeof analysisCalls.getAnalysis>): Promise<Answer<AnalysisAnswer>> {
  const { gateway } = context;
  const image = await requireAnalysable(context);
  const analysis =
    (await gateway.models.Analysis.findById(image._id).lean<AnalysisDoc>()) ?? (await start(context, image));
  await recordLook(context, 'analysis.read', image);
  return answer(analysis);
}

/** Starts a new run, or returns the one that is under way. */
export async function startAnalysis(
  context: Context<typeof analysisCalls.startAnalysis>,
): Promise<Answer<AnalysisAnswer>> {
  const image = await requireAnalysable(context);
  return answer(await start(context, image));
}

async function requireAnalysable({ gateway, viewer, params }: Context<Call>): Promise<ImageDoc> {
  const { image } = await requireImage(gateway.models, viewer, params.imageId, 'analyse', gateway.clock.now());
  if (image.contentType === 'application/pdf') throw new AppError('NOT_ANALYSABLE');
  return image;
}

async function start({ gateway, actor, viewer }: Context<Call>, image: ImageDoc): Promise<AnalysisDoc> {
  const running = await gateway.models.Analysis.findOne({ _id: image._id, ...underWay }).lean<AnalysisDoc>();
  if (running) return running;
  await gateway.throttle.take('analysis', { caller: viewer.id });
  try {
    await gateway.events.change(actor, async (tx) => {
      if (!(await queue(gateway, image, viewer, tx.session))) return image._id;
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
  const analysis = await gateway.models.Analysis.findById(image._id).lean<AnalysisDoc>();
  if (!analysis) throw new AppError('NOT_FOUND');
  return analysis;
}

/** Queues a run. Returns true when this call started it. */
async function queue(
  gateway: Gateway,
  image: ImageDoc,
  viewer: Context<Call>['viewer'],
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

function answer(analysis: AnalysisDoc): Answer<AnalysisAnswer> {
  const data = presentAnalysis(analysis);
  return { data, status: isUnderWay(data.status) ? 202 : 200 };
}
