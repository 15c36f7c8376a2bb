import type { LegalHold, LegalHolds, legalHoldCalls } from '@lightbox/contract/legalHolds/calls.js';
import { touch } from '@lightbox/core/access/hold.js';
import { requireUser } from '@lightbox/core/access/users.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import { openHoldText, sealHoldAgain, sealHoldText } from '@lightbox/core/legalHolds/sealed.js';
import type { LegalHoldDoc } from '@lightbox/core/models/legalHold.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { namesOf } from '../users/names.js';

/** Far more than a patient ever has; the newest are shown. */
const MOST = 100;

/** Returns the patient; 404 for other accounts. `former`: an account with holds from an earlier role is found too. */
async function requirePatient(gateway: Gateway, viewer: Viewer, id: string, former = true): Promise<ObjectId> {
  const { _id, role } = await requireUser(gateway, viewer, id);
  if (role === 'patient' || (former && (await gateway.models.LegalHold.exists({ patient: _id })))) return _id;
  throw new AppError('NOT_FOUND');
}

export async function getLegalHold({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof legalHoldCalls.getLegalHold>): Promise<Answer<LegalHolds>> {
  const patient = await requirePatient(gateway, viewer, params.id);
  await gateway.events.record(actor, { type: 'user.holdRead', record: patient });
  return { data: await show(gateway, patient) };
}

/** Sets or lifts the hold. When it is so already, nothing changes, and the first reason stays. */
export async function setLegalHold({
  gateway,
  actor,
  viewer,
  params,
  body: { held, reason },
}: Context<typeof legalHoldCalls.setLegalHold>): Promise<Answer<LegalHolds>> {
  const patient = await requirePatient(gateway, viewer, params.id, !held);
  const _id = newId(gateway.clock.now());
  await gateway.events.change(actor, async (tx) => {
    // A deletion that asked about the patient at the same moment conflicts with this.
    const account = await gateway.models.User.updateOne({ _id: patient, deletedAt: { $exists: false } }, touch, {
      session: tx.session,
    });
    if (account.matchedCount === 0) throw new AppError('NOT_FOUND');
    const live = await gateway.models.LegalHold.findOne({ patient, live: true }, null, {
      session: tx.session,
    }).lean<LegalHoldDoc>();
    if (held && !live) await begin(gateway, tx, { _id, patient, by: viewer._id }, reason);
    if (!held && live) await lift(gateway, tx, live, viewer._id, reason);
    return patient;
  });
  return { data: await show(gateway, patient) };
}

async function begin(
  { models, keys, clock }: Gateway,
  tx: Transaction,
  hold: Pick<LegalHoldDoc, '_id' | 'patient' | 'by'>,
  reason: string,
): Promise<void> {
  const sealed = sealHoldText(keys, hold._id, 'reason', reason);
  await models.LegalHold.create([{ ...hold, at: clock.now(), reason: sealed, live: true }], { session: tx.session });
  tx.record({ type: 'user.holdSet', record: hold.patient, owners: [hold.patient] });
}

async function lift(
  { models, keys, clock }: Gateway,
  tx: Transaction,
  hold: LegalHoldDoc,
  by: ObjectId,
  reason: string,
): Promise<void> {
  const liftReason = sealHoldText(keys, hold._id, 'liftReason', reason);
  const { session } = tx;
  const now = clock.now();
  await models.LegalHold.updateOne(
    { _id: hold._id },
    { $set: { ...sealHoldAgain(keys, { ...hold, liftReason }), live: false, liftedBy: by, liftedAt: now } },
    { session },
  );
  // Recordings that closed accounts left to the patient go now: the closing continues.
  const senders = await models.Voice.distinct('sender', { recipient: hold.patient }).session(session);
  await models.User.updateMany(
    { _id: { $in: senders }, deletedAt: { $exists: true }, closing: { $exists: false } },
    { $set: { closing: { at: now, by } } },
    { session },
  );
  tx.record({ type: 'user.holdLifted', record: hold.patient, owners: [hold.patient] });
}

async function show({ models, keys }: Gateway, patient: ObjectId): Promise<LegalHolds> {
  const found = await models.LegalHold.find({ patient })
    .sort({ _id: -1 })
    .limit(MOST)
    .readConcern(NEWEST)
    .lean<LegalHoldDoc[]>();
  const name = await namesOf(
    models,
    found.flatMap(({ by, liftedBy }) => [by, liftedBy]),
  );
  const holds = found.map(
    ({ _id, by, at, reason, liftedBy, liftedAt, liftReason }): LegalHold => ({
      id: String(_id),
      by: name(by),
      at: at.toISOString(),
      reason: openHoldText(keys, _id, 'reason', reason),
      ...(liftedBy && liftedAt && liftReason
        ? {
            lifted: {
              by: name(liftedBy),
              at: liftedAt.toISOString(),
              reason: openHoldText(keys, _id, 'liftReason', liftReason),
            },
          }
        : {}),
    }),
  );
  return { held: found.some(({ live }) => live), holds };
}
