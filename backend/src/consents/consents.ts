import type { Consents, consentCalls } from '@lightbox/contract/consents/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ConsentDoc } from '@lightbox/core/models/consent.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { DAY_MS } from '@lightbox/core/times.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';

export async function getConsents({
  gateway,
  actor,
  viewer,
}: Context<typeof consentCalls.getConsents>): Promise<Answer<Consents>> {
  const user = await gateway.models.User.findById(viewer._id, { consents: 1 }).readConcern(NEWEST).lean<UserDoc>();
  await gateway.events.record(actor, { type: 'consent.read', record: viewer._id });
  return { data: { analysis: user?.consents?.analysis ?? 'unset' } };
}

/** Stores the answer in the account, and every answer in the history. */
export async function setConsents({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof consentCalls.setConsents>): Promise<Answer<Consents>> {
  const { User, Consent } = gateway.models;
  await gateway.events.change(actor, async (tx) => {
    const answered = { $set: { 'consents.analysis': body.analysis }, $unset: { 'consents.askedAt': 1 } };
    const { matchedCount } = await User.updateOne({ _id: viewer._id }, answered, { session: tx.session });
    if (matchedCount === 0) throw new AppError('NOT_FOUND');
    const at = gateway.clock.now();
    const answer = { _id: newId(at), user: viewer._id, analysis: body.analysis, at };
    await Consent.create([answer], { session: tx.session });
    tx.record({ type: 'consent.changed', record: viewer._id, reason: body.analysis });
    return viewer._id;
  });
  return { data: body };
}

/** Returns all answers of a person, the oldest first. */
export async function consentsOf({ models }: Gateway, { _id: user }: Viewer) {
  const answers = await models.Consent.find({ user }).sort({ at: 1, _id: 1 }).lean<ConsentDoc[]>();
  return answers.map(({ analysis, at }) => ({ analysis, at: at.toISOString() }));
}

/** Asks a patient in the app, at most once in some days until they answer. */
export async function askForConsent(
  { gateway, actor }: Pick<Context, 'gateway' | 'actor'>,
  patient: ObjectId,
): Promise<void> {
  const now = gateway.clock.now();
  const before = new Date(now.getTime() - limits.consentAskDays * DAY_MS);
  const due = { $or: [{ 'consents.askedAt': { $exists: false } }, { 'consents.askedAt': { $lte: before } }] };
  const unanswered = { 'consents.analysis': { $in: [null, 'unset' as const] } };
  await gateway.events.change(actor, async (tx) => {
    const asked = await gateway.models.User.updateOne(
      { _id: patient, ...unanswered, ...due },
      { $set: { 'consents.askedAt': now } },
      { session: tx.session },
    );
    if (asked.modifiedCount === 1) {
      tx.record({ type: 'consent.asked', record: patient, owners: [patient], recipients: [patient] });
    }
    return patient;
  });
}
