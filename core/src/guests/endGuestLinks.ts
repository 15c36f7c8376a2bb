import type { QueryFilter } from 'mongoose';
import { liveLink } from '../access/guests.js';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
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

/**
 * Lets the live guest links of an account expire now, in one write: it may have made more than one transaction can end one by
 * one. Nobody opens them any more. Workers end them with their events (`maintenance/expire.ts`).
 */
export async function cutGuestLinks({ models, clock }: Core, tx: Transaction, madeBy: ObjectId): Promise<void> {
  const now = clock.now();
  await models.GuestLink.updateMany(
    { madeBy, ...liveLink(now) },
    { $set: { expiresAt: now } },
    { session: tx.session },
  );
}
