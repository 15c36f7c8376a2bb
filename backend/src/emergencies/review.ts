import type { Emergency, emergencyCalls } from '@lightbox/contract/emergencies/calls.js';
import type { EmergencyRule } from '@lightbox/contract/emergencies/policy.js';
import { type EmergencyReviewMove, emergencyReviewMoves } from '@lightbox/contract/emergencies/states.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { sealAgain, sealText } from '@lightbox/core/emergencies/sealed.js';
import { AppError } from '@lightbox/core/errors.js';
import type { NewEvent } from '@lightbox/core/events/events.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { Answer, Context } from '../context.js';
import { activeAdmins } from '../users/admins.js';
import { requireEmergency } from './emergencies.js';
import { presentEmergency } from './present.js';

type Call =
  | typeof emergencyCalls.approveEmergency
  | typeof emergencyCalls.questionEmergency
  | typeof emergencyCalls.answerEmergency;

interface Step {
  move: EmergencyReviewMove;
  rule: EmergencyRule;
  type: Extract<NewEvent['type'], 'emergency.approved' | 'emergency.questioned' | 'emergency.answered'>;
  field: 'question' | 'answer' | 'approval';
  text: string;
  /** The people whose browsers are notified, beside administrators. */
  to: (emergency: EmergencyDoc) => ObjectId[];
}

/** Moves the review on. `CONFLICT` when the state does not allow it: another administrator may have been faster. */
async function take(context: Context<Call>, { move, rule, type, field, text, to }: Step): Promise<Answer<Emergency>> {
  const { gateway, actor, viewer, params } = context;
  const { _id } = await requireEmergency(gateway, viewer, params.id, rule);
  const { from, to: state } = emergencyReviewMoves[move];
  await gateway.events.change(actor, async (tx) => {
    const { Emergency } = gateway.models;
    const before = await Emergency.findOne({ _id, state: { $in: from } }, null, {
      session: tx.session,
    }).lean<EmergencyDoc>();
    if (!before) throw new AppError('CONFLICT');
    const said = { by: viewer._id, at: gateway.clock.now(), text: sealText(gateway.keys, _id, field, text) };
    await Emergency.updateOne(
      { _id },
      // All texts of a record are under one key, so that the key of its reason stands for all of them.
      { $set: { ...sealAgain(gateway.keys, before), [field]: said, state, waits: state === 'answered' } },
      { session: tx.session },
    );
    tx.record({ type, record: _id, owners: [before.patient], recipients: to(before) });
    return _id;
  });
  return { data: await presentEmergency(gateway, viewer, await requireEmergency(gateway, viewer, params.id)) };
}

export const approveEmergency = (context: Context<typeof emergencyCalls.approveEmergency>) =>
  take(context, {
    move: 'approve',
    rule: 'review',
    type: 'emergency.approved',
    field: 'approval',
    text: context.body.comment ?? '',
    to: ({ provider }) => [provider],
  });

export const questionEmergency = (context: Context<typeof emergencyCalls.questionEmergency>) =>
  take(context, {
    move: 'question',
    rule: 'review',
    type: 'emergency.questioned',
    field: 'question',
    text: context.body.comment,
    to: ({ provider }) => [provider],
  });

/** The answer goes to the administrator who asked, or to all while that one is no active administrator. */
export async function answerEmergency(context: Context<typeof emergencyCalls.answerEmergency>) {
  const admins = await activeAdmins(context.gateway);
  return take(context, {
    move: 'answer',
    rule: 'answer',
    type: 'emergency.answered',
    field: 'answer',
    text: context.body.answer,
    to: ({ provider, question }) => {
      const asker = admins.filter((id) => question && id.equals(question.by));
      return [provider, ...(asker.length > 0 ? asker : admins)];
    },
  });
}
