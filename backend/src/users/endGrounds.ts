import { endCarersOf } from '@lightbox/core/carers/endCarers.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { endEmergencies, ofAccount } from '@lightbox/core/emergencies/endEmergencies.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import { cutGuestLinks } from '@lightbox/core/guests/endGuestLinks.js';
import type { Gateway } from '../context.js';

/**
 * Ends, as part of a transaction, every ground to open images that rests on an account which stops working or changes its
 * role: emergency accesses, carers, and the guest links that it made. They do not come back with the account.
 */
export async function endGrounds(gateway: Gateway, tx: Transaction, user: ObjectId): Promise<void> {
  await endEmergencies(gateway, tx, ofAccount(user), 'account');
  await endCarersOf(gateway, tx, user);
  await cutGuestLinks(gateway, tx, user);
}
