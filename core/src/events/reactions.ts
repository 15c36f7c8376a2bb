import {
  type ActionWebhook,
  type AuditAction,
  actionOf,
  auditActionNames,
  type NotificationKind,
  type RefsOf,
} from '@lightbox/contract/audit/actions.js';
import type { EventMail } from '../mail/mailTemplates.js';
import type { EventDoc } from '../models/event.js';
import type { JobRequest } from '../queues/queues.js';
import type { LiveUpdate } from './signals.js';

type Recorded<A extends AuditAction> = Omit<EventDoc, 'refs'> & { refs: RefsOf<A, EventDoc['refs'][string]> };

interface Reaction<A extends AuditAction> {
  /** The socket event goes to everybody who is signed in, not only to the event's recipients. */
  toEverybody?: true;
  /** A socket event for each of the event's `records`, beside that of the action itself. */
  each?: LiveUpdate['name'];
  mail?: (event: Recorded<A>) => EventMail | null;
  jobs?: (event: Recorded<A>) => JobRequest[];
  /** False: this event is no notice, although its action has one. */
  isNotice?: (event: Recorded<A>) => boolean;
}

const imageId = (event: Pick<EventDoc, 'record'>) => String(event.record);

/** A new image is drawn. */
const firstDrawing = (event: Pick<EventDoc, '_id' | 'record'>): JobRequest[] => [
  { name: 'renderPreview', data: { imageId: imageId(event) }, id: `${event._id}-preview` },
];

/**
 * The mails and jobs that follow from each action. The socket event and the notification are in its row of
 * `auditActions`. Null: no mail and no job. A failed or refused action is recorded, and nothing follows from it.
 */
const reactions: { [A in AuditAction]: Reaction<A> | null } = {
  'auth.register': {
    mail: ({ refs }) => {
      if (refs.existing) return 'alreadyHaveAccount';
      if (refs.received) return 'registrationReceived';
      return refs.code ? 'verificationCode' : null;
    },
  },
  'auth.login': { mail: ({ refs }) => (refs.code ? 'verificationCode' : null) },
  'auth.guesses': { mail: () => 'wrongPasswords' },
  'auth.codesGuessed': { mail: () => 'wrongCodes' },
  'auth.confirm': null,
  'auth.resendCode': { mail: () => 'verificationCode' },
  'auth.refreshReused': null,
  'auth.logout': null,
  'auth.adminCode': null,
  'auth.forgotPassword': { mail: () => 'resetCode' },
  'auth.resetPassword': { mail: () => 'passwordChanged' },
  'auth.changePassword': { mail: () => 'passwordChanged' },
  'auth.stepUp': null,
  'auth.stepUpMail': { mail: () => 'verificationCode' },
  'auth.notMe': null,
  'auth.breakGlassUsed': null,
  'auth.failures': null,
  'session.expire': null,
  'session.list': null,
  'session.end': null,
  'session.history': null,
  'totp.read': null,
  'totp.start': null,
  'totp.on': { mail: () => 'totpOn' },
  'totp.off': { mail: () => 'totpOff' },
  'totp.reset': { mail: () => 'totpOff' },
  'totp.recovery': { mail: () => 'recoveryCodes' },
  'passkey.list': null,
  'passkey.start': null,
  'passkey.add': { mail: () => 'passkeyAdded' },
  'passkey.rename': null,
  'passkey.remove': { mail: () => 'passkeyRemoved' },
  'signOn.listed': null,
  'signOn.linked': { mail: () => 'signOnLinked' },
  'signOn.unlinked': { mail: () => 'signOnUnlinked' },
  'signOn.ended': null,
  'scim.listed': null,
  'scim.tokenCreated': null,
  'scim.tokenRevoked': null,
  'scim.read': null,
  'scim.changed': null,
  'token.list': null,
  'token.create': { mail: () => 'tokenCreated' },
  'token.viewer': null,
  'token.revoke': null,
  'profile.read': null,
  'profile.update': null,
  'profile.photo': {
    jobs: ({ _id, refs }) => [{ name: 'renderPhoto', data: { photoId: String(refs.photo) }, id: `${_id}-photo` }],
  },
  'profile.photoRemoved': null,
  'profile.delete': null,
  'profile.exported': null,
  'profile.disclosed': null,
  'user.list': null,
  'user.export': null,
  'user.read': null,
  'user.bulkRead': null,
  'user.approve': { mail: () => 'accountApproved' },
  'user.reconsidered': { mail: () => 'approvalUndone' },
  'user.reject': { mail: () => 'accountRejected' },
  'user.activate': null,
  'user.deactivate': null,
  'user.delete': null,
  'user.role': { mail: () => 'roleChanged' },
  'user.holdSet': null,
  'user.holdLifted': null,
  'user.holdRead': null,
  'stats.read': null,
  'image.upload': { jobs: firstDrawing },
  'image.blackOut': { jobs: firstDrawing },
  'image.list': null,
  'image.read': null,
  'image.content': null,
  'image.preview': null,
  'image.view': null,
  'image.viewEnd': null,
  'image.tags': null,
  'image.timeline': null,
  'image.transfer': null,
  'image.delete': {
    jobs: ({ _id, refs }) => [{ name: 'removeBlob', data: { blobId: String(refs.blob) }, id: `${_id}-blob` }],
  },
  'study.created': null,
  'study.read': null,
  'study.frames': null,
  'study.viewEnd': null,
  'study.content': null,
  'study.updated': null,
  'study.deleted': {
    each: 'image:deleted',
    jobs: ({ _id }) => [{ name: 'removeBlobs', data: {}, id: `${_id}-blobs` }],
  },
  'study.complete': null,
  'share.create': { mail: ({ refs }) => (refs.mailed ? 'imageShared' : null) },
  'share.verify': null,
  'share.lock': null,
  'share.resend': { mail: () => 'imageShared' },
  'share.revoke': null,
  'share.expire': null,
  'share.changed': null,
  'share.list': null,
  'invite.created': { mail: ({ refs }) => (refs.mailed ? 'invited' : null) },
  'invite.resent': { mail: () => 'invited' },
  'invite.accepted': null,
  'invite.ended': null,
  'guest.created': { mail: ({ refs }) => (refs.mailed ? 'guestLink' : null) },
  'guest.opened': { isNotice: ({ refs }) => refs.first !== undefined },
  'guest.locked': null,
  'guest.revoked': null,
  'guest.expired': null,
  'guest.listed': null,
  'guest.viewed': null,
  'guest.viewEnded': null,
  'guest.downloaded': null,
  'request.created': { mail: ({ refs }) => (refs.mailed ? 'imageRequest' : null) },
  'request.file': {
    jobs: (event) => [{ name: 'renderPreview', data: { imageId: imageId(event) }, id: `${event._id}-preview` }],
  },
  'request.cleared': null,
  'request.received': null,
  'request.taken': null,
  'request.declined': null,
  'request.revoked': null,
  'request.ended': null,
  'request.read': null,
  'emergency.opened': { mail: () => 'emergencyOpened' },
  'emergency.ended': null,
  'emergency.approved': null,
  'emergency.questioned': { mail: () => 'emergencyQuestioned' },
  'emergency.answered': null,
  'emergency.asked': null,
  'emergency.listed': null,
  'carer.named': { mail: ({ recipients }) => (recipients.length > 0 ? 'carerNamed' : null) },
  'carer.accepted': { mail: () => 'carerAccepted' },
  'carer.ended': { mail: () => 'carerEnded' },
  'carer.listed': null,
  'annotation.saved': null,
  'annotation.removed': null,
  'annotation.exported': null,
  'analysis.request': {
    jobs: (event) => [{ name: 'analyseImage', data: { imageId: imageId(event) }, id: `${event._id}-analysis` }],
  },
  'analysis.complete': null,
  'analysis.fail': null,
  'analysis.read': null,
  'analysis.signed': null,
  'analysis.withdrawn': null,
  'analysis.report': null,
  'consent.read': null,
  'consent.changed': null,
  'consent.asked': null,
  'message.use': null,
  'voice.sent': null,
  'voice.played': null,
  'message.expired': null,
  'voice.removed': {
    jobs: ({ _id, refs }) => [{ name: 'removeBlob', data: { blobId: String(refs.blob) }, id: `${_id}-blob` }],
  },
  'notification.use': null,
  'notification.chosen': null,
  'push.use': null,
  'push.subscribe': null,
  'push.unsubscribe': null,
  'webhook.listed': null,
  'webhook.created': null,
  'webhook.changed': null,
  'webhook.rotated': null,
  'webhook.removed': null,
  'webhook.tested': null,
  'webhook.replayed': null,
  'webhook.stopped': null,
  'dicomNode.listed': null,
  'dicomNode.created': null,
  'dicomNode.changed': null,
  'dicomNode.removed': null,
  'dicomNode.refused': null,
  'audit.list': null,
  'audit.export': null,
  'audit.verify': null,
  'audit.signed': null,
  'audit.foreign': null,
  'audit.gap': null,
  'audit.archived': null,
  'access.explain': null,
  'role.list': null,
  'setting.read': null,
  'setting.list': null,
  'setting.history': null,
  'setting.add': { toEverybody: true },
  'setting.edit': { toEverybody: true },
  'setting.delete': { toEverybody: true },
  'overview.read': null,
  'overview.checked': null,
  'job.watched': null,
  'job.retry': null,
};

/** Everything that follows from a successful action, beside its entry in the audit log. */
export interface Consequences {
  /** The live update for the browsers of the event's recipients. */
  push?: LiveUpdate['name'];
  toEverybody?: true;
  each?: LiveUpdate['name'];
  /** The notice for the notification centre of the recipients, except the actor's own. */
  notify?: NotificationKind;
  settles?: true;
  /** The event for the webhooks of the recipients and of the installation. */
  webhook?: ActionWebhook;
  mail?: (event: EventDoc) => EventMail | null;
  jobs?: (event: EventDoc) => JobRequest[];
  isNotice?: (event: EventDoc) => boolean;
}

const consequences = new Map(auditActionNames.map((type) => [type, joined(type)]));

function joined(type: AuditAction): Consequences | null {
  const { socket, notice, settles, webhook } = actionOf(type) ?? {};
  // Events have the refs of their type: `Events.make` accepts no others.
  const reaction = reactions[type] as Pick<Consequences, 'toEverybody' | 'each' | 'mail' | 'jobs' | 'isNotice'> | null;
  if (!socket && !notice && !settles && !webhook && !reaction) return null;
  return {
    ...(socket ? { push: socket } : {}),
    ...(notice ? { notify: notice } : {}),
    ...(settles ? { settles } : {}),
    ...(webhook ? { webhook } : {}),
    ...reaction,
  };
}

/**
 * Returns the consequences of an action; null when there are none, or when only a newer version of the product knows
 * the action.
 */
export const consequencesOf = (type: AuditAction): Consequences | null => consequences.get(type) ?? null;
