import type { QueryFilter } from 'mongoose';
import type { Core } from '../core.js';
import type { Transaction } from '../events/events.js';
import type { InviteDoc } from '../models/invite.js';
import { ownerOf } from './shareTarget.js';

/** Returns the record, the refs and the people of an event about an invitation. */
export async function aboutInvite({ models }: Core, tx: Transaction, { _id, image, study, by }: InviteDoc) {
  const owner = await ownerOf(models, { ...(image ? { image } : {}), ...(study ? { study } : {}) }, tx.session);
  const record = study ?? image;
  return {
    ...(record ? { record } : {}),
    refs: { invite: _id },
    owners: owner ? [owner] : [],
    recipients: [by, ...(owner ? [owner] : [])],
  };
}

/**
 * Ends the invitation that matches, if there is one, with its event. Part of the caller's transaction. The reason is
 * empty when a person cancelled it.
 */
export async function endInvite(
  core: Core,
  tx: Transaction,
  filter: QueryFilter<InviteDoc>,
  reason: '' | 'expired' | 'The account was closed.',
): Promise<void> {
  const { session } = tx;
  const ended = await core.models.Invite.findOneAndDelete(filter, { session }).lean<InviteDoc>();
  if (ended) tx.record({ type: 'invite.ended', ...(await aboutInvite(core, tx, ended)), reason });
}
