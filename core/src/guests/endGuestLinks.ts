import type { QueryFilter } from 'mongoose';
import type { Core } from '../core.js';
import type { Transaction } from '../events/events.js';
import type { GuestLinkDoc } from '../models/guestLink.js';
import { ownerOf } from '../sharing/shareTarget.js';

/** The record and the refs of an event about a guest link, as for a share (`aboutShare`). `records` names the link. */
export const aboutLink = ({ _id, image, study }: Pick<GuestLinkDoc, '_id' | 'image' | 'study'>) => ({
  record: study ?? image,
  records: [_id],
  refs: { link: _id, ...(study ? { lead: image } : {}) },
});

/** Ends the live guest links that match, with one event for each. Part of the caller's transaction. */
export async function endGuestLinks(
  core: Core,
  tx: Transaction,
  filter: QueryFilter<GuestLinkDoc>,
  type: 'guest.revoked' | 'guest.expired',
): Promise<void> {
  const { models, clock } = core;
  const session = tx.session;
  const links = await models.GuestLink.find({ $and: [filter], live: true }, null, { session }).lean<GuestLinkDoc[]>();
  if (links.length === 0) return;
  await models.GuestLink.updateMany(
    { _id: { $in: links.map(({ _id }) => _id) } },
    { $set: { live: false, endedAt: clock.now() } },
    { session },
  );
  for (const link of links) {
    const owner = await ownerOf(models, link, session);
    tx.record({
      type,
      ...aboutLink(link),
      owners: owner ? [owner] : [],
      recipients: [link.madeBy, ...(owner ? [owner] : [])],
    });
  }
}
