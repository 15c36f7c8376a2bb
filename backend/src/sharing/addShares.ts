import { limits } from '@lightbox/contract/limits.js';
import { refreshAudience } from '@lightbox/core/access/audience.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import { liveShare, overdueShare, type ShareTarget, sharesOf } from '@lightbox/core/access/shares.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import { newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { DatesOf, ShareDoc } from '@lightbox/core/models/share.js';
import { endShares } from '@lightbox/core/sharing/endShares.js';
import { sealNote } from '@lightbox/core/sharing/notes.js';
import { aboutShare } from '@lightbox/core/sharing/shareTarget.js';
import { DAY_MS, HOUR_MS } from '@lightbox/core/times.js';
import type { Gateway } from '../context.js';
import { mayMailAddress, mayMailPerson } from './mailLimits.js';
import { holdTarget } from './targets.js';

/** The terms of new shares. */
export interface Terms {
  sharedBy: ObjectId;
  /** Null for the permanent share of the patient. */
  hours: number | null;
  note?: string | undefined;
  download?: boolean | undefined;
  deidentified?: boolean | undefined;
  /** The invitation that the share began as. */
  invite?: ObjectId;
}

/** Shares that are made by one act of one person, in one transaction. */
export interface Act {
  id: ObjectId;
  /** The recipients about whose mail an earlier share of the act has decided. */
  recipients: Set<string>;
}

/** Begins an act. Call it inside the transaction, so that a repeated transaction begins again. */
export const newAct = (): Act => ({ id: newId(), recipients: new Set() });

/** Returns the expiry of a share's code: the end of the share, or a month for a permanent share. */
export const codeEnd = (now: Date, shareEnd: Date | null): Date =>
  shareEnd ?? new Date(now.getTime() + limits.standingCodeDays * DAY_MS);

/**
 * Shares one image or study with several people, as part of a transaction, and updates the audience of the images that
 * it covers. Leaves out the owner, and people who have a live share of it. Several shares of one act are mailed to each
 * recipient together. The caller holds the recipients' accounts. Throws `NOT_FOUND` when the image or the study was
 * deleted since the caller read it.
 */
export async function addShares(
  gateway: Gateway,
  tx: Transaction,
  wanted: ShareTarget,
  people: readonly ObjectId[],
  terms: Terms,
  act = newAct(),
): Promise<{ shares: ShareDoc[]; owner: ObjectId }> {
  const { models } = gateway;
  const session = tx.session;
  const now = gateway.clock.now();
  const { image, ...datesOf } = await holdTarget(gateway, tx, wanted);
  const { owner } = datesOf;
  const target: ShareTarget = { ...wanted, image };
  const among = { recipient: { $in: people } };
  // An overdue share that is not swept yet must not block a new one.
  await endShares(gateway, tx, target, { ...among, ...overdueShare(now) }, 'share.expire');
  const live = await models.Share.find(
    { $and: [sharesOf(target), among], ...liveShare(now) },
    { recipient: 1 },
    { session },
  ).lean<ShareDoc[]>();
  const left = [owner, ...live.map(({ recipient }) => recipient)];
  const shares = people
    .filter((person) => !left.some((one) => one.equals(person)))
    .map((recipient) => newShare(gateway, { ...target, datesOf }, recipient, terms, act));
  if (shares.length === 0) return { shares, owner };
  await models.Share.insertMany(shares, { session, lean: true });
  await refreshAudience(models, target, now, session);
  for (const share of shares) {
    const mailed = await sendsMail(gateway, tx, act, { recipient: share.recipient });
    const { refs, ...about } = aboutShare(share);
    tx.record({
      type: 'share.create',
      ...about,
      owners: [owner],
      recipients: [share.recipient, owner],
      refs: { ...refs, ...(mailed ? { mailed: share.recipient } : {}) },
      // The person who registers accepts the invitation; the one who invited has shared.
      ...(terms.invite ? { actor: terms.sharedBy } : {}),
    });
  }
  return { shares, owner };
}

function newShare(
  { keys, clock }: Gateway,
  { image, study, datesOf }: ShareTarget & { datesOf: DatesOf },
  recipient: ObjectId,
  { sharedBy, hours, note, download, deidentified, invite }: Terms,
  act: Act,
): ShareDoc {
  const now = clock.now();
  const _id = newId(now);
  const expiresAt = hours === null ? null : new Date(now.getTime() + hours * HOUR_MS);
  return {
    _id,
    image,
    ...(study ? { study } : {}),
    sharedBy,
    recipient,
    createAt: now,
    batch: act.id,
    ...(invite ? { invite } : {}),
    ...(note ? { note: sealNote(keys, _id, note) } : {}),
    ...(download === false ? { download } : {}),
    ...(deidentified ? { deidentified, datesOf } : {}),
    ...(expiresAt ? { expiresAt } : {}),
    codeExpiresAt: codeEnd(now, expiresAt),
    ...newCodeSeed(keys.codes),
    tries: 0,
    live: true,
  };
}

/**
 * Returns true for the first share or invitation of an act to a recipient, unless the limit of mails to them is reached: its
 * event sends the mail about all of them. Without a mail, shares wait in the app, and codes can be sent later (`resendShare`,
 * `resendInvitation`).
 */
export async function sendsMail(
  gateway: Gateway,
  tx: Transaction,
  { recipients }: Act,
  to: { recipient: ObjectId } | { email: string },
): Promise<boolean> {
  const key = 'recipient' in to ? String(to.recipient) : to.email;
  if (recipients.has(key)) return false;
  recipients.add(key);
  return tx.once(`mail to ${key}`, () =>
    'recipient' in to
      ? mayMailPerson(gateway, to.recipient, tx.session)
      : mayMailAddress(gateway, 'inviteMail', to.email),
  );
}

/**
 * Makes a share that a patient has for a time the permanent one, as part of a transaction. False for one of copies: it ends,
 * because the permanent one gives the original.
 */
export async function makePermanent(
  gateway: Gateway,
  tx: Transaction,
  share: ShareDoc,
  owner: ObjectId,
): Promise<boolean> {
  const { models, clock } = gateway;
  const { _id, recipient, sharedBy, deidentified, expiresAt } = share;
  const { session } = tx;
  if (deidentified) {
    await endShares(gateway, tx, share, { _id }, 'share.revoke');
    return false;
  }
  if (!expiresAt) return true;
  const now = clock.now();
  const endless = { $set: { codeExpiresAt: codeEnd(now, null) }, $unset: { expiresAt: 1 as const } };
  await models.Share.updateOne({ _id }, endless, { session });
  await refreshAudience(models, share, now, session);
  tx.record({
    type: 'share.changed',
    ...aboutShare(share),
    owners: [owner],
    recipients: [recipient, sharedBy, owner],
  });
  return true;
}

export const theirsAlready = () => fieldError('createdfor', 'This image is theirs already.');

interface NewShare extends ShareTarget, Terms {
  recipient: ObjectId;
}

/** Shares with one person. Returns null when the recipient's account is not usable. */
export async function addShare(
  gateway: Gateway,
  tx: Transaction,
  { image, study, recipient, ...terms }: NewShare,
  act = newAct(),
): Promise<ObjectId | null> {
  if (!(await holdUser(gateway.models, { _id: recipient }, tx.session))) return null;
  const target = { image, ...(study ? { study } : {}) };
  const { shares, owner } = await addShares(gateway, tx, target, [recipient], terms, act);
  if (shares[0]) return shares[0]._id;
  throw owner.equals(recipient) ? theirsAlready() : new AppError('ALREADY_SHARED');
}
