import { mayBeDeleted } from '@lightbox/contract/legalHolds/policy.js';
import type { ClientSession } from 'mongoose';
import type { ObjectId } from '../db/ids.js';
import { AppError } from '../errors.js';
import type { Models } from '../models/models.js';
import { touch } from './hold.js';

/**
 * Returns the patients under a legal hold, for work that leaves out what names them. A deletion without a further question
 * asks in its own transaction, after it has written the accounts.
 */
export const heldPatients = (
  { LegalHold }: Pick<Models, 'LegalHold'>,
  session: ClientSession | null = null,
): Promise<ObjectId[]> => LegalHold.distinct('patient', { live: true }).session(session).exec();

/**
 * Throws `LEGAL_HOLD` when one of these people is a patient under a legal hold. Every deletion asks it, in its own
 * transaction, about everybody whom its records name. It writes the accounts, so that a hold that is set at the same
 * moment conflicts with the deletion.
 */
export async function refuseHeld(
  { User, LegalHold }: Pick<Models, 'User' | 'LegalHold'>,
  named: readonly (ObjectId | undefined)[],
  session: ClientSession,
): Promise<void> {
  const people = new Map(named.flatMap((id) => (id ? [[String(id), id]] : [])));
  if (people.size === 0) return;
  const among = { $in: [...people.values()] };
  await User.updateMany({ _id: among }, touch, { session });
  const holds = await LegalHold.find({ patient: among, live: true }, { patient: 1 }, { session }).lean();
  const held = new Set(holds.map(({ patient }) => String(patient)));
  if (!mayBeDeleted({ named: [...people.keys()] }, held)) throw new AppError('LEGAL_HOLD');
}
