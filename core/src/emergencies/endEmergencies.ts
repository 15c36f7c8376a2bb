import type { EmergencyEnding } from '@lightbox/contract/emergencies/states.js';
import type { QueryFilter } from 'mongoose';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Transaction } from '../events/events.js';
import type { EmergencyDoc } from '../models/emergency.js';

/** The emergency accesses of an account, as provider or as patient, as a filter. */
export const ofAccount = (user: ObjectId) => ({ $or: [{ provider: user }, { patient: user }] });

/** Ends the live emergency accesses that match, with one event for each. Part of the caller's transaction. */
export async function endEmergencies(
  { models, clock }: Pick<Core, 'models' | 'clock'>,
  tx: Transaction,
  filter: QueryFilter<EmergencyDoc>,
  reason: EmergencyEnding | '',
): Promise<void> {
  const { session } = tx;
  const found = await models.Emergency.find({ $and: [filter], live: true }, null, { session }).lean<EmergencyDoc[]>();
  if (found.length === 0) return;
  await models.Emergency.updateMany(
    { _id: { $in: found.map(({ _id }) => _id) } },
    { $set: { live: false, endedAt: clock.now() } },
    { session },
  );
  for (const { _id, provider, patient } of found) {
    tx.record({ type: 'emergency.ended', record: _id, owners: [patient], recipients: [provider, patient], reason });
  }
}
