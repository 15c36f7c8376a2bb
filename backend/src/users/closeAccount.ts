import { renameOnCards } from '@lightbox/core/access/cards.js';
import { touch } from '@lightbox/core/access/hold.js';
import { heldPatients, refuseHeld } from '@lightbox/core/access/legalHolds.js';
import { endCarersOf } from '@lightbox/core/carers/endCarers.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { endEmergencies, ofAccount } from '@lightbox/core/emergencies/endEmergencies.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { Models } from '@lightbox/core/models/models.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { unsetChoices } from '@lightbox/core/notifications/noticeSettings.js';
import { finishClosing, heirOf } from '@lightbox/core/users/closing.js';
import { sealProfile, unsetClear } from '@lightbox/core/users/profile.js';
import type { ClientSession } from 'mongoose';
import { dropAuthenticators } from '../auth/authenticators.js';
import { endAccess } from '../auth/endAccess.js';
import { cutSockets } from '../auth/sessions.js';
import type { Gateway } from '../context.js';
import { keepAnAdmin } from './admins.js';

/** Longest time that the answer waits for the rest. Maintenance does the remaining steps, also after a crash. */
const TIMEOUT_MS = 5_000;

/**
 * Closes the account in one transaction: after its commit nobody can sign in, and name, address and profile are gone.
 * Messages stay; their sender is shown as 'Deleted user'. Images and shares follow one by one, however many there are.
 */
export async function closeAccount(
  gateway: Gateway,
  actor: Actor,
  user: UserDoc,
  type: 'user.delete' | 'profile.delete',
): Promise<void> {
  const by = actor.id ?? user._id;
  let sessions: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    await refuseHeld(gateway.models, [user._id], tx.session);
    await keepAnAdmin(gateway, user, tx.session);
    await refuseWithoutHeir(gateway, user, tx.session);
    for (const end of Object.values(endWithAccount)) {
      if (typeof end === 'function') await end({ gateway, user: user._id, by, tx: tx.session });
    }
    await endEmergencies(gateway, tx, ofAccount(user._id), 'account');
    await endCarersOf(gateway, tx, user._id);
    sessions = await endAccess(gateway, user._id, 'deleted', tx.session);
    tx.record({ type, record: user._id });
    return user._id;
  });
  cutSockets(gateway, sessions, 'deleted');
  const until = new Date(gateway.clock.now().getTime() + TIMEOUT_MS);
  // The session of this call has ended with the account, so the rest must not check it.
  await finishClosing(gateway, { id: by, ip: actor.ip }, user._id, until).catch((error) =>
    gateway.warn(error, 'the rest of closing an account is left to maintenance'),
  );
}

/** Throws `LAST_ADMIN` when the account owns images that name a patient, and no administrator can take them over. */
async function refuseWithoutHeir(gateway: Gateway, user: UserDoc, tx: ClientSession): Promise<void> {
  const named = { owner: user._id, patient: { $exists: true } };
  if (!(await gateway.models.Image.exists(named).session(tx))) return;
  if (!(await heirOf(gateway, user._id, tx))) throw new AppError('LAST_ADMIN');
}

interface Closing {
  gateway: Gateway;
  user: ObjectId;
  by: ObjectId;
  tx: ClientSession;
}

/**
 * Says for each model how its records end when their account is closed. A function runs in the closing transaction. A
 * name is the function that handles them: `dropAuthenticators`, `endEmergencies`, `endCarersOf` and `endAccess` in that
 * transaction, `finishClosing` in steps after it, `removeDeliveries` in maintenance. `stays`: other people need them, or
 * they expire. Null: they belong to no account. A new model needs a row here.
 */
const endWithAccount: Record<
  keyof Models,
  | ((closing: Closing) => Promise<unknown>)
  | 'dropAuthenticators'
  | 'endEmergencies'
  | 'endCarersOf'
  | 'endAccess'
  | 'finishClosing'
  | 'removeDeliveries'
  | 'stays'
  | null
> = {
  User: clearAccount,
  Passkey: ({ gateway, user, tx }) => dropAuthenticators(gateway, user, tx),
  Totp: 'dropAuthenticators',
  Identity: ({ gateway, user, tx }) => gateway.models.Identity.deleteMany({ user }, { session: tx }).exec(),
  ScimAccount: ({ gateway, user, tx }) => gateway.models.ScimAccount.deleteOne({ _id: user }, { session: tx }).exec(),
  Code: ({ gateway, user, tx }) => gateway.models.Code.deleteMany({ user }, { session: tx }).exec(),
  Session: 'endAccess',
  PushSubscription: 'endAccess',
  // Those of the installation stay.
  Webhook: ({ gateway, user, tx }) => gateway.models.Webhook.deleteMany({ user }, { session: tx }).exec(),
  WebhookDelivery: 'removeDeliveries',
  DicomNode: ({ gateway, user, tx }) => gateway.models.DicomNode.deleteMany({ user }, { session: tx }).exec(),
  Image: 'finishClosing',
  Card: 'finishClosing',
  Study: 'finishClosing',
  Share: 'finishClosing',
  Invite: 'finishClosing',
  GuestLink: 'finishClosing',
  ImageRequest: 'finishClosing',
  // The record stays for the review; a live access ends.
  Emergency: 'endEmergencies',
  // The record stays, because the log names it. The account of a held patient cannot be closed.
  LegalHold: 'stays',
  // The record stays, because the log names it.
  Carer: 'endCarersOf',
  Photo: ({ gateway, user, tx }) => gateway.models.Photo.deleteMany({ user }, { session: tx }).exec(),
  Notification: 'finishClosing',
  // It expires, and is not sent to a closed account.
  Reminder: 'stays',
  // Maintenance removes expired uploads.
  Upload: ({ gateway, user, tx }) =>
    gateway.models.Upload.updateMany(
      { owner: user, stored: false },
      { $set: { expiresAt: gateway.clock.now() } },
      { session: tx },
    ).exec(),
  Usage: 'finishClosing',
  Secret: null,
  Preview: null,
  Drawing: null,
  Rendering: null,
  BlackOut: null,
  Look: 'stays',
  Tombstone: null,
  Analysis: 'stays',
  // A signed text stays with the image; its signer is then 'Deleted user'.
  AnalysisVersion: 'stays',
  Report: null,
  Annotation: removeMarks,
  // It says why images were analysed, and has no name.
  Consent: 'stays',
  Conversation: 'stays',
  Message: 'stays',
  Voice: 'finishClosing',
  Event: 'stays',
  AuditEntry: 'stays',
  AuditHead: null,
  AuditReceipt: null,
  AuditRun: null,
  Setting: null,
  SettingChange: 'stays',
  Idempotency: 'stays',
  Counter: null,
  SentMail: null,
  Task: null,
  Operation: null,
  Position: null,
  Ceremony: null,
  // It belongs to the installation.
  ScimToken: 'stays',
  UsernameHold: null,
  Decoy: null,
};

/** Removes the marks of the account, but for those on images of patients under a legal hold. */
async function removeMarks({ gateway: { models }, user, tx }: Closing): Promise<void> {
  const marked = { _id: { $in: await models.Annotation.distinct('image', { author: user }).session(tx) } };
  const patients = await models.Image.distinct('patient', marked).session(tx);
  // A hold that is set at the same moment conflicts with this.
  await models.User.updateMany({ _id: { $in: patients } }, touch, { session: tx });
  const held = { ...marked, patient: { $in: await heldPatients(models, tx) } };
  const kept = await models.Image.distinct('_id', held).session(tx);
  await models.Annotation.deleteMany({ author: user, image: { $nin: kept } }, { session: tx });
}

/** Removes name, address and profile. The record stays, because records of other people refer to it. */
async function clearAccount({ gateway, user, by, tx }: Closing): Promise<void> {
  const gone = `deleted-${user}`;
  const now = gateway.clock.now();
  const cleared = await gateway.models.User.updateOne(
    { _id: user, deletedAt: { $exists: false } },
    {
      $set: {
        email: `${gone}@invalid`,
        username: gone,
        usernameKey: gone,
        passwordHash: '',
        words: [],
        sortKey: '',
        status: 'rejected',
        active: false,
        deletedAt: now,
        closing: { at: now, by },
        profile: sealProfile(gateway.keys, user, {}),
      },
      $unset: {
        firstname: 1,
        lastname: 1,
        rejectedReason: 1,
        passkeyHandle: 1,
        photo: 1,
        invitesAfter: 1,
        ...unsetChoices,
        ...unsetClear,
      },
    },
    { session: tx, strict: false },
  );
  // A concurrent call has just closed it.
  if (cleared.matchedCount === 0) throw new AppError('NOT_FOUND');
  await renameOnCards(gateway.models, user, {}, tx);
}
