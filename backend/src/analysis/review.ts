import type { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import { isSignersOwn, mayWithdraw, warningsOfComputer } from '@lightbox/contract/analysis/policy.js';
import {
  type AnalysisAnswer,
  type AnalysisEdits,
  type EditableField,
  editableFields,
  type Findings,
} from '@lightbox/contract/analysis/schemas.js';
import type { Sentence } from '@lightbox/contract/analysis/sentences.js';
import { mayReview, type ReviewMove, type ReviewState, reviewMoves } from '@lightbox/contract/analysis/states.js';
import { holdImage } from '@lightbox/core/access/hold.js';
import { analysisReaders, requireImage, signedReaders } from '@lightbox/core/access/images.js';
import { holdConsent } from '@lightbox/core/analysis/consent.js';
import { mayMoveReview } from '@lightbox/core/analysis/moves.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { AnalysisVersionDoc } from '@lightbox/core/models/analysisVersion.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ClientSession } from 'mongoose';
import type { Answer, Context, Gateway } from '../context.js';
import { findAnalysis, hidesDrafts } from './analysis.js';
import { presentAnalysis } from './present.js';

type Signing = Context<typeof analysisCalls.signAnalysis>;
type Withdrawing = Context<typeof analysisCalls.withdrawAnalysis>;

/** Signs the draft: its text, with the signer's changes, is a version of its own. It replaces an earlier signed one. */
export async function signAnalysis(context: Signing): Promise<Answer<AnalysisAnswer>> {
  const { gateway, actor, viewer, params, body } = context;
  const { image } = await requireImage(gateway.models, viewer, params.imageId, 'sign', gateway.clock.now());
  await gateway.events.change(actor, async (tx) => {
    const { Analysis, AnalysisVersion, Image } = gateway.models;
    const { session } = tx;
    if ((await holdConsent(gateway, image, session)) === 'refused') throw new AppError('CONSENT_NEEDED');
    const { owner } = await holdImage(gateway.models, image._id, session);
    const analysis = await Analysis.findById(image._id, null, { session }).lean<AnalysisDoc>();
    const draft = await requireDraft(gateway, analysis, body.version, session);
    const at = gateway.clock.now();
    const version = body.version + 1;
    const comment = body.comment ? { comment: body.comment } : {};
    const { findings, edited } = withEdits(draft.findings, body.edits ?? {});
    await Analysis.updateOne(
      { _id: image._id, version: body.version, ...mayMoveReview('sign') },
      {
        $set: {
          version,
          review: { state: reviewMoves.sign.to, by: viewer._id, at, ...comment },
          signed: { version, by: viewer._id },
        },
      },
      { session },
    );
    const signed: AnalysisVersionDoc = {
      _id: newId(at),
      image: image._id,
      version,
      kind: 'signature',
      by: viewer._id,
      at,
      findings,
      run: draft.run,
      signature: { of: draft.version, ...comment, edited },
    };
    await AnalysisVersion.create([signed], { session });
    await Image.updateOne({ _id: image._id }, { $set: { hasSigned: true } }, { session });
    const recipients = await signedReaders(gateway.models, image, at);
    tx.record({ type: 'analysis.signed', record: image._id, owners: [owner], recipients });
    return image._id;
  });
  return answer(context, image);
}

/** Returns the run that is signed, or throws the refusal: it is not the newest version, or the review is elsewhere. */
async function requireDraft(
  { models }: Gateway,
  analysis: AnalysisDoc | null,
  version: number,
  session: ClientSession,
): Promise<AnalysisVersionDoc> {
  if (!analysis?.review) throw new AppError('REVIEW_STATE');
  if (analysis.version !== version || analysis.status !== 'completed') throw new AppError('STALE');
  requireMove('sign', analysis.review.state);
  const draft = await models.AnalysisVersion.findOne({ image: analysis._id, version }, null, {
    session,
  }).lean<AnalysisVersionDoc>();
  if (!draft) throw new AppError('REVIEW_STATE');
  return draft;
}

function requireMove(move: ReviewMove, state: ReviewState): void {
  if (!mayReview(move, state)) throw new AppError('REVIEW_STATE');
}

/** Puts the signer's words in the place of the draft's. A field with the same words does not count as edited. */
function withEdits(draft: Findings, edits: AnalysisEdits): { findings: Findings; edited: EditableField[] } {
  const edited = editableFields.filter(
    (field) => edits[field] !== undefined && JSON.stringify(edits[field]) !== JSON.stringify(draft[field]),
  );
  const changes = Object.fromEntries(edited.map((field) => [field, edits[field]])) as Partial<Findings>;
  const { said, ...rest } = { ...draft, ...changes };
  if (!said) return { findings: rest, edited };
  const codes = codesOf(rest.warnings, draft);
  const stays = (at: number) => {
    const code = codes[at]?.code;
    return !code || !isSignersOwn(rest, edited) || !warningsOfComputer.includes(code);
  };
  // The codes stand for the product's own sentences, and not for those of the signer.
  const description = edited.includes('description') ? [] : said.description;
  const findings = {
    ...rest,
    warnings: rest.warnings.filter((_, at) => stays(at)),
    said: { ...said, description, warnings: codes.filter((_, at) => stays(at)) },
  };
  return { findings, edited };
}

/** Returns the code of each warning that the signer left as it was in the draft, and null for the signer's own words. */
function codesOf(warnings: readonly string[], draft: Findings): (Sentence | null)[] {
  const left = draft.warnings.map((text, at) => ({ text, code: draft.said?.warnings[at] ?? null }));
  return warnings.map((text) => {
    const at = left.findIndex((one) => one.text === text);
    return left.splice(at, at < 0 ? 0 : 1)[0]?.code ?? null;
  });
}

/** Withdraws the signed text and the draft. A new run can be signed again. */
export async function withdrawAnalysis(context: Withdrawing): Promise<Answer<AnalysisAnswer>> {
  const { gateway, actor, viewer, params, body } = context;
  const { image } = await requireImage(gateway.models, viewer, params.imageId, 'analyse', gateway.clock.now());
  await gateway.events.change(actor, async (tx) => {
    const { Analysis, AnalysisVersion, Image } = gateway.models;
    const { session } = tx;
    const { owner } = await holdImage(gateway.models, image._id, session);
    const analysis = await Analysis.findById(image._id, null, { session }).lean<AnalysisDoc>();
    if (!mayWithdraw(viewer, await signerOf(gateway, analysis, session))) throw new AppError('FORBIDDEN');
    requireMove('withdraw', analysis?.review?.state ?? 'none');
    const at = gateway.clock.now();
    const withdrawn = { by: viewer._id, at, reason: body.reason };
    const review = { state: reviewMoves.withdraw.to, by: viewer._id, at, comment: body.reason };
    await Analysis.updateOne(
      { _id: image._id, ...mayMoveReview('withdraw') },
      { $set: { review }, $unset: { signed: 1 } },
      { session },
    );
    const signed = analysis?.signed;
    if (signed) {
      const current = { image: image._id, version: signed.version };
      await AnalysisVersion.updateOne(current, { $set: { withdrawn } }, { session });
      await Image.updateOne({ _id: image._id }, { $unset: { hasSigned: 1 } }, { session });
    }
    // A patient who has read nothing is not told of a draft.
    const readers = signed ? signedReaders : analysisReaders;
    const recipients = await readers(gateway.models, image, at);
    tx.record({ type: 'analysis.withdrawn', record: image._id, owners: [owner], recipients });
    return image._id;
  });
  return answer(context, image);
}

/** Returns the signer of the text that a withdrawal ends, or has ended. */
async function signerOf(
  { models }: Gateway,
  analysis: AnalysisDoc | null,
  session: ClientSession,
): Promise<string | undefined> {
  if (analysis?.signed) return String(analysis.signed.by);
  if (analysis?.review?.state !== 'withdrawn') return undefined;
  const last: { by: ObjectId } | null = await models.AnalysisVersion.findOne(
    { image: analysis._id, kind: 'signature' },
    { by: 1 },
    { session, sort: { version: -1 } },
  ).lean();
  return last ? String(last.by) : undefined;
}

async function answer({ gateway, viewer }: Signing | Withdrawing, image: ImageDoc): Promise<Answer<AnalysisAnswer>> {
  const analysis = await findAnalysis(gateway, image);
  if (!analysis) throw new AppError('NOT_FOUND');
  const data = await presentAnalysis(gateway, viewer, image, analysis);
  const isDraft = data.status === 'completed' && data.review.state !== 'signed';
  return { data: isDraft && (await hidesDrafts(gateway, image, analysis)) ? withoutText(data) : data };
}

/** The move and its reason, for staff who may not read the draft. */
const withoutText = ({
  heatMap: _,
  said: __,
  measurements: ___,
  ...result
}: Extract<AnalysisAnswer, { status: 'completed' }>) => ({
  ...result,
  description: '',
  differentialDiagnosis: [],
  treatment: [],
  followUp: [],
  warnings: [],
  confidence: null,
});
