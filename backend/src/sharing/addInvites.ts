import type { ShareTarget } from '@lightbox/core/access/shares.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import { newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { InviteDoc } from '@lightbox/core/models/invite.js';
import { aboutInvite, endInvite } from '@lightbox/core/sharing/endInvite.js';
import { addressHash, inviteEnd, invitesOf, sealAddress } from '@lightbox/core/sharing/invites.js';
import { sealNote } from '@lightbox/core/sharing/notes.js';
import type { Gateway } from '../context.js';
import { type Act, sendsMail, type Terms } from './addShares.js';

interface Invitation extends Terms {
  hours: number;
}

/** Returns the object of an invitation, as its record names it. */
const objectOf = ({ image, study }: ShareTarget): Pick<InviteDoc, 'image' | 'study'> => (study ? { study } : { image });

/**
 * Invites an address to one image or study, as part of a transaction that holds the image or the study. Does nothing
 * when an invitation of the address to it waits already. The invitations of one act are mailed to an address together.
 */
export async function addInvite(
  gateway: Gateway,
  tx: Transaction,
  target: ShareTarget,
  email: string,
  terms: Invitation,
  act: Act,
): Promise<void> {
  const { models, keys, clock } = gateway;
  const now = clock.now();
  const object = objectOf(target);
  const same = { ...invitesOf(keys, email), image: { $exists: false }, study: { $exists: false }, ...object };
  await endInvite(gateway, tx, { ...same, expiresAt: { $lte: now } }, 'expired');
  if (await models.Invite.exists(same).session(tx.session)) return;
  const invite = newInvite(gateway, object, email, terms, act.id);
  await models.Invite.create([invite], { session: tx.session });
  const mailed = await sendsMail(gateway, tx, act, { email });
  const { refs, ...about } = await aboutInvite(gateway, tx, invite);
  tx.record({ type: 'invite.created', ...about, refs: { ...refs, ...(mailed ? { mailed: invite._id } : {}) } });
}

function newInvite(
  { keys, clock }: Gateway,
  object: Pick<InviteDoc, 'image' | 'study'>,
  email: string,
  { sharedBy, hours, note, download, deidentified }: Invitation,
  batch: ObjectId,
): InviteDoc {
  const now = clock.now();
  const _id = newId(now);
  return {
    _id,
    batch,
    addressHash: addressHash(keys, email),
    address: sealAddress(keys, _id, email),
    by: sharedBy,
    ...object,
    hours,
    ...(note ? { note: sealNote(keys, _id, note) } : {}),
    ...(download === false ? { download } : {}),
    ...(deidentified ? { deidentified } : {}),
    createAt: now,
    expiresAt: inviteEnd(now),
    ...newCodeSeed(keys.codes),
  };
}
