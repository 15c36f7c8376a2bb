import type { CarerEnding } from '@lightbox/contract/carers/states.js';
import type { QueryFilter } from 'mongoose';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Transaction } from '../events/events.js';
import type { CarerDoc } from '../models/carer.js';

/** Ends the live carers that match, with one event for each. Part of the caller's transaction. */
export async function endCarers(
  { models, clock }: Pick<Core, 'models' | 'clock'>,
  tx: Transaction,
  filter: QueryFilter<CarerDoc>,
  reason: CarerEnding | '',
): Promise<void> {
  const { session } = tx;
  const found = await models.Carer.find({ $and: [filter], live: true }, null, { session }).lean<CarerDoc[]>();
  if (found.length === 0) return;
  await models.Carer.updateMany(
    { _id: { $in: found.map(({ _id }) => _id) } },
    {
      $set: { state: 'ended', live: false, endedAt: clock.now(), ...(reason ? { ending: reason } : {}) },
      $unset: { address: 1 },
    },
    { session },
  );
  for (const { _id, patient, carer } of found) {
    const people = [patient, ...(carer ? [carer] : [])];
    tx.record({ type: 'carer.ended', record: _id, owners: [patient], recipients: people, reason });
  }
}

/**
 * Ends the carers of an account that is closed or deactivated, as patient and as carer. An invitation that the account
 * has not answered only forgets it: its end would tell the patient that the address had an account.
 */
export async function endCarersOf(
  core: Pick<Core, 'models' | 'clock'>,
  tx: Transaction,
  user: ObjectId,
): Promise<void> {
  await core.models.Carer.updateMany(
    { carer: user, state: 'waiting' },
    { $unset: { carer: 1 } },
    { session: tx.session },
  );
  await endCarers(core, tx, { $or: [{ patient: user }, { carer: user }] }, 'account');
}
