import type { Party } from '@lightbox/contract/messages/policy.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { Gateway } from '../context.js';

/** Returns what the rules of receipts need to know of a person. */
export async function partyOf(gateway: Gateway, id: ObjectId): Promise<Party> {
  const user = await gateway.readUser(id);
  return { readReceipts: user?.readReceipts !== false };
}
