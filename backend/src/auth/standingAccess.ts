import { limits } from '@lightbox/contract/limits.js';
import { requestMoves } from '@lightbox/contract/requests/states.js';
import { endCarers } from '@lightbox/core/carers/endCarers.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { endEmergencies } from '@lightbox/core/emergencies/endEmergencies.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import { cutGuestLinks } from '@lightbox/core/guests/endGuestLinks.js';
import type { Models } from '@lightbox/core/models/models.js';
import type { SettingChangeDoc } from '@lightbox/core/models/settingChange.js';
import { moveRequest } from '@lightbox/core/requests/moveRequest.js';
import { waitingInvite } from '@lightbox/core/sharing/invites.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import type { Gateway } from '../context.js';
import { removeSetting } from '../settings/changeSettings.js';

/** The ways to sign in as the account: `endAccess` ends them, and the link takes the change back that its mail is about. */
type SignIn = 'Session' | 'Code' | 'Ceremony' | 'Totp' | 'Passkey' | 'Identity' | 'PushSubscription';

/**
 * Rules, decisions about other people, and answers. An administrator changes them back by hand: the log names each, and what
 * was right about them nobody but a person knows.
 */
type Decision = 'User' | 'ScimAccount' | 'Consent' | 'LegalHold' | 'SettingChange';

/** Records by which nobody else gets access, and that send nothing to an address of somebody's choice. */
type Harmless =
  | ('Image' | 'Card' | 'Preview' | 'Drawing' | 'Rendering' | 'BlackOut' | 'Look' | 'Tombstone' | 'Position' | 'Study')
  | ('Photo' | 'Analysis' | 'AnalysisVersion' | 'Report' | 'Annotation' | 'Upload' | 'Usage')
  | ('Conversation' | 'Message' | 'Voice' | 'Notification' | 'Reminder' | 'SentMail' | 'WebhookDelivery')
  | ('Event' | 'AuditEntry' | 'AuditHead' | 'AuditReceipt' | 'AuditRun' | 'Idempotency' | 'Counter' | 'Task')
  | ('Operation' | 'Secret' | 'UsernameHold' | 'Decoy');

interface Ended {
  gateway: Gateway;
  tx: Transaction;
  user: ObjectId;
  /** The beginning of the time for which the link answers. */
  since: Date;
}

/**
 * The standing access: what an account makes that lets somebody in, or sends something out, also after its sessions have
 * ended; and how it ends, with an event for each. Every model is here or in one of the lists above, so a new one does not
 * compile until somebody has decided.
 */
const standing: Record<Exclude<keyof Models, SignIn | Decision | Harmless>, (ended: Ended) => Promise<unknown>> = {
  // Their end comes now, so nobody opens them any more. Workers write it within a second, with its event
  // (`maintenance/expire.ts`), however many they are. A share without an end is that of the patient of an image.
  Share: ({ gateway: { models, clock }, tx, user, since }) =>
    models.Share.updateMany(
      { sharedBy: user, createAt: { $gte: since }, live: true, expiresAt: { $gt: clock.now() } },
      { $set: { expiresAt: clock.now() } },
      { session: tx.session },
    ),
  // As shares do: an account makes more of them in three days than one transaction can end one by one.
  Invite: ({ gateway: { models, clock }, tx, user, since }) =>
    models.Invite.updateMany(
      { by: user, createAt: { $gte: since }, ...waitingInvite(clock.now()) },
      { $set: { expiresAt: clock.now() } },
      { session: tx.session },
    ),
  // All of them, and as shares do. A session alone makes one, and its maker makes it anew.
  GuestLink: ({ gateway, tx, user }) => cutGuestLinks(gateway, tx, user),
  ImageRequest: async ({ gateway, tx, user, since }) => {
    const open = { by: user, createAt: { $gte: since }, state: { $in: [...requestMoves.close.from] } };
    const requests = await gateway.models.ImageRequest.find(open, { _id: 1 }, { session: tx.session }).lean();
    for (const { _id } of requests) await moveRequest(gateway, tx, _id, 'close');
  },
  Carer: ({ gateway, tx, user, since }) => endCarers(gateway, tx, { patient: user, createAt: { $gte: since } }, ''),
  Emergency: ({ gateway, tx, user, since }) =>
    endEmergencies(gateway, tx, { provider: user, from: { $gte: since } }, ''),
  // Those of the account, and of the installation those that it made or changed. Their owner turns them on again.
  Webhook: async ({ gateway: { models }, tx, user, since }) => {
    const filter = { on: true, $or: [{ user }, { whole: true, ...madeOrChanged(user, since) }] };
    const { session } = tx;
    const webhooks = await models.Webhook.find(filter, { _id: 1 }, { session }).lean();
    for (const { _id } of webhooks) {
      await models.Webhook.updateOne({ _id }, { $set: { on: false } }, { session });
      tx.record({ type: 'webhook.changed', record: _id });
    }
  },
  DicomNode: async ({ gateway: { models }, tx, user, since }) => {
    const { session } = tx;
    const nodes = await models.DicomNode.find(madeOrChanged(user, since), null, { session }).lean();
    for (const { _id, user: owner, title } of nodes) {
      await models.DicomNode.deleteOne({ _id }, { session });
      tx.record({ type: 'dicomNode.removed', record: _id, records: [owner], reason: title });
    }
  },
  ScimToken: async ({ gateway: { models }, tx, user, since }) => {
    const { session } = tx;
    const tokens = await models.ScimToken.find({ madeBy: user, createAt: { $gte: since } }, { _id: 1 }, { session });
    for (const { _id } of tokens) {
      await models.ScimToken.deleteOne({ _id }, { session });
      tx.record({ type: 'scim.tokenRevoked', record: _id });
    }
  },
  // Of the settings one alone is an address to which something goes: people's tokens for another viewer.
  Setting: async ({ gateway, tx, user, since }) => {
    const { Setting, SettingChange } = gateway.models;
    const { session } = tx;
    const setting = await Setting.findOne({ name: 'viewer.url' }, { _id: 1 }, { session }).lean();
    if (!setting) return;
    const last = await SettingChange.findOne({ setting: setting._id }, null, { session })
      .sort({ at: -1, _id: -1 })
      .lean<SettingChangeDoc>();
    if (last?.by.equals(user) && last.at >= since) await removeSetting(gateway, tx, setting._id, user);
  },
};

const madeOrChanged = (user: ObjectId, since: Date) => ({
  $or: [
    { by: user, createAt: { $gte: since } },
    { changedBy: user, changedAt: { $gte: since } },
  ],
});

/**
 * Ends the standing access that an account has made as far back as a link "this was not me" reaches. Part of the caller's
 * transaction; after it `gateway.settings.forget()`.
 */
export async function endStandingAccess(gateway: Gateway, tx: Transaction, user: ObjectId): Promise<void> {
  const since = new Date(gateway.clock.now().getTime() - limits.notMeHours * HOUR_MS);
  for (const end of Object.values(standing)) await end({ gateway, tx, user, since });
}
