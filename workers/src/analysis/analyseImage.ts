import { createHash } from 'node:crypto';
import { reasonText } from '@lightbox/contract/analysis/reasons.js';
import { analysisMoves, reviewMoves } from '@lightbox/contract/analysis/states.js';
import { touch } from '@lightbox/core/access/hold.js';
import { analysisReaders } from '@lightbox/core/access/images.js';
import { takeCall } from '@lightbox/core/analysis/budget.js';
import { analysisConsent, holdConsent } from '@lightbox/core/analysis/consent.js';
import { mayMove } from '@lightbox/core/analysis/moves.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { system } from '@lightbox/core/events/events.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { AnalysisVersionDoc } from '@lightbox/core/models/analysisVersion.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { UnrecoverableError } from 'bullmq';
import type { ClientSession } from 'mongoose';
import { withoutForeignText } from '../failures.js';
import type { JobContext } from '../jobContext.js';
import type { Pictures } from '../previews/preview.js';
import { readImage } from '../readImage.js';
import { AnalysisFailed, type AnalysisProvider, NotAnalysable } from './providers/provider.js';

/**
 * Runs one analysis of an image. It writes only while its run is the current one, so a worker that continues after it
 * stood still, or a second delivery of the job, changes nothing.
 */
export async function analyseImage(
  core: Core,
  { provider, pictures }: { provider: AnalysisProvider; pictures: Pictures },
  imageId: string,
  { isLastAttempt, signal }: JobContext,
): Promise<void> {
  const begun = await begin(core, imageId);
  if (!begun) return;
  const { image, analysis, consented } = begun;
  const progress = progressOf(core, image, analysis.run);
  progress.report(5);
  try {
    if (!consented) throw new NotAnalysable('CONSENT_NEEDED');
    const bytes = await readImage(core, image);
    const findings = await provider.analyse(
      { imageId, contentType: image.contentType, bytes, facts: image },
      { signal, onProgress: progress.report, pictures, takeCall: () => requireCall(core, image, analysis.run) },
    );
    await progress.reported();
    await finish(core, image, analysis.run, 'complete', { progress: 100, findings }, sha256(bytes));
  } catch (error) {
    if (error instanceof RunOver) return;
    if (signal.aborted || isAway(error)) throw error;
    const final = error instanceof NotAnalysable || (error instanceof AnalysisFailed && !error.retryable);
    if (!final && !isLastAttempt) throw error;
    const known = error instanceof NotAnalysable || error instanceof AnalysisFailed;
    const reason = known ? { reason: error.message, reasonCode: error.code } : unforeseen;
    await finish(core, image, analysis.run, 'fail', reason);
    throw new UnrecoverableError(known ? error.name : withoutForeignText(error).message);
  }
}

/** Ends the run of an analysis whose job is given up. */
export async function giveUpAnalysis(core: Core, imageId: string): Promise<void> {
  const begun = await begin(core, imageId);
  if (begun) await finish(core, begun.image, begun.analysis.run, 'fail', unforeseen);
}

const unforeseen = { reason: reasonText('UNFORESEEN'), reasonCode: 'UNFORESEEN' } as const;

/** Another run took the place of this one, or the image is gone: there is nothing to write. */
class RunOver extends Error {
  override readonly name = 'RunOver';
}

/**
 * Runs before each sending of the picture. Drawing it and waiting for the server take minutes, in which the image may be
 * deleted, may get a patient, and the patient may refuse.
 */
async function requireCall(core: Core, { _id }: ImageDoc, run: number): Promise<void> {
  const goesOn = await beat(core, _id, run);
  const image = goesOn && (await core.models.Image.findById(_id).readConcern(NEWEST).lean<ImageDoc>());
  if (!image) throw new RunOver();
  if ((await analysisConsent(core, image)) !== 'granted') throw new NotAnalysable('CONSENT_NEEDED');
  if (!(await takeCall(core))) throw new AnalysisFailed('LIMIT_REACHED', false);
}

/** Notes that a worker goes on with the run, so that it is not taken for lost (`repair.ts`). Returns false when the run is over. */
async function beat({ models, clock }: Core, _id: ObjectId, run: number, progress = 0): Promise<boolean> {
  const change = { $set: { beatAt: clock.now() }, $max: { progress } };
  return (await models.Analysis.updateOne({ _id, run, status: 'active' }, change)).matchedCount === 1;
}

/**
 * Marks the run and the image as active, both or neither. Null when there is nothing to do. A plain transaction and no event: the
 * audit log holds the request and the result of an analysis, not its start. The consent is asked for again at each beginning: between the
 * request and a late, repeated or revived job the patient may have taken it back.
 */
async function begin(
  core: Core,
  imageId: string,
): Promise<{ image: ImageDoc; analysis: AnalysisDoc; consented: boolean } | null> {
  const { Analysis, Image } = core.models;
  const _id = oid(imageId);
  return core.db.transaction(async (session) => {
    const analysis = await Analysis.findOneAndUpdate(
      { _id, ...mayMove('begin') },
      { $set: { status: analysisMoves.begin.to } },
      { session },
    ).lean<AnalysisDoc>();
    if (!analysis) return null;
    const begun = { $set: { analysis: analysisMoves.begin.to }, ...touch };
    const image = await Image.findOneAndUpdate({ _id }, begun, { session }).lean<ImageDoc>();
    // The image was deleted by an older version, which did not delete the analysis with it.
    if (!image) await Analysis.deleteOne({ _id }, { session });
    return image && { image, analysis, consented: (await holdConsent(core, image, session)) === 'granted' };
  });
}

/**
 * Stores the progress and broadcasts it. Best effort: no event, and an error does not fail the analysis. The updates
 * run one after the other, so that the last one never arrives after the result.
 */
function progressOf(core: Core, image: ImageDoc, run: number) {
  const readers = analysisReaders(core.models, image, core.clock.now());
  let last: Promise<unknown> = Promise.resolve();
  const send = async (percent: number) => {
    await beat(core, image._id, run, percent);
    const to = [...(await readers).map(String), 'role:admin'];
    await core.signals.send([
      { push: { name: 'analysis:progress', to, refs: { record: String(image._id), progress: percent } } },
    ]);
  };
  return {
    report: (percent: number) => {
      last = last.then(() => send(percent)).catch(() => undefined);
    },
    reported: () => last,
  };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Ends a run. A completed run is a new version, and the draft of the review. */
async function finish(
  core: Core,
  image: ImageDoc,
  run: number,
  move: 'complete' | 'fail',
  outcome: Partial<AnalysisDoc>,
  inputSha256?: string,
): Promise<void> {
  const status = analysisMoves[move].to;
  await core.events.change(system, async (tx) => {
    const finishedAt = core.clock.now();
    const completed = move === 'complete' ? { $inc: { version: 1 } } : {};
    const draft = move === 'complete' ? { review: { state: reviewMoves.draft.to } } : {};
    const analysis = await core.models.Analysis.findOneAndUpdate(
      { _id: image._id, run, ...mayMove(move) },
      { $set: { ...outcome, ...draft, status, finishedAt }, ...completed },
      { session: tx.session, returnDocument: 'after' },
    ).lean<AnalysisDoc>();
    if (!analysis) return image._id;
    if (inputSha256) await keepVersion(core, analysis, inputSha256, tx.session);
    await core.models.Image.updateOne({ _id: image._id }, { $set: { analysis: status } }, { session: tx.session });
    tx.record({
      type: `analysis.${move}` as const,
      record: image._id,
      owners: [image.owner],
      recipients: await analysisReaders(core.models, image, core.clock.now()),
    });
    return image._id;
  });
}

async function keepVersion(core: Core, analysis: AnalysisDoc, inputSha256: string, session: ClientSession) {
  const { _id: image, version, requestedBy: by, run: number, findings, finishedAt: at } = analysis;
  const doc = {
    _id: newId(core.clock.now()),
    image,
    version,
    kind: 'run',
    by,
    at,
    findings,
    run: { number, by, at, inputSha256 },
  };
  await core.models.AnalysisVersion.create([doc as AnalysisVersionDoc], { session });
}
