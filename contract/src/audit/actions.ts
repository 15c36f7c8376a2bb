/** DICOM's kinds of audit events (PS3.16, CID 400), for the FHIR export. */
export type EventKind =
  | 'userAuthentication'
  | 'securityAlert'
  | 'instancesAccessed'
  | 'orderRecord'
  | 'auditLogUsed'
  | 'applicationActivity';

interface ActionShape {
  /** `tablename` of its entries: the kind of record that the action is about, in successful and refused attempts. */
  table: string;
  /** `AuditEvent.type` of the FHIR export. */
  fhir: EventKind;
  /** `AuditEvent.action` of the FHIR export: create, read, update, delete, or execute. */
  does: 'C' | 'R' | 'U' | 'D' | 'E';
  /** Records that a successful event names beside `record`. A name that ends in `?` may be absent. */
  refs?: readonly string[];
  /** The socket event that notifies browsers (`events.ts`). */
  socket?: `${string}:${string}`;
  /** The notification for the recipients of the event, except the actor (`notifications/calls.ts`). */
  notice?: `${string}.${string}`;
  /** The event for the webhooks of the recipients and of the installation (`webhooks/events.ts`). */
  webhook?: `${string}.${string}`;
  /** The action may settle notifications about its record: nothing is left to do, so they count as read. */
  settles?: true;
  /** An image's timeline shows the action. Lists name many images, so they are in the audit log only. */
  timeline?: true;
}

/**
 * Every action that is recorded, with its name in each place. The audit log, the socket and the notification centre
 * spell some names differently. Clients and older entries rely on these names, so existing names do not change.
 */
export const auditActions = {
  'auth.register': {
    table: 'users',
    fhir: 'userAuthentication',
    does: 'C',
    notice: 'provider.registered',
    refs: ['code?', 'existing?', 'received?'],
  },
  'auth.login': { table: 'users', fhir: 'userAuthentication', does: 'E', refs: ['code?'] },
  'auth.guesses': { table: 'users', fhir: 'userAuthentication', does: 'E' },
  'auth.codesGuessed': { table: 'users', fhir: 'userAuthentication', does: 'E' },
  'auth.confirm': { table: 'sessions', fhir: 'userAuthentication', does: 'E' },
  'auth.resendCode': { table: 'users', fhir: 'userAuthentication', does: 'E', refs: ['code'] },
  'auth.refreshReused': { table: 'sessions', fhir: 'userAuthentication', does: 'E' },
  'auth.logout': { table: 'sessions', fhir: 'userAuthentication', does: 'E' },
  'auth.adminCode': { table: 'users', fhir: 'userAuthentication', does: 'E' },
  'auth.forgotPassword': { table: 'users', fhir: 'userAuthentication', does: 'E', refs: ['code'] },
  'auth.resetPassword': { table: 'users', fhir: 'userAuthentication', does: 'U', refs: ['notMe'] },
  'auth.changePassword': { table: 'users', fhir: 'userAuthentication', does: 'E', refs: ['notMe'] },
  'auth.stepUp': { table: 'sessions', fhir: 'userAuthentication', does: 'E' },
  'auth.stepUpMail': { table: 'users', fhir: 'userAuthentication', does: 'E', refs: ['code'] },
  'auth.notMe': { table: 'users', fhir: 'userAuthentication', does: 'E' },
  /** A break-glass administrator signed in without a provider of single sign-on. */
  'auth.breakGlassUsed': {
    table: 'users',
    fhir: 'userAuthentication',
    does: 'E',
    notice: 'auth.breakGlassUsed',
  },
  'auth.failures': { table: 'sessions', fhir: 'userAuthentication', does: 'E' },
  'session.expire': { table: 'sessions', fhir: 'userAuthentication', does: 'D' },
  'session.list': { table: 'sessions', fhir: 'userAuthentication', does: 'R' },
  'session.end': { table: 'sessions', fhir: 'userAuthentication', does: 'E' },
  'session.history': { table: 'auditlogs', fhir: 'userAuthentication', does: 'R' },
  'totp.read': { table: 'users', fhir: 'applicationActivity', does: 'R' },
  'totp.start': { table: 'users', fhir: 'applicationActivity', does: 'E' },
  'totp.on': { table: 'users', fhir: 'applicationActivity', does: 'E', refs: ['notMe'] },
  'totp.off': { table: 'users', fhir: 'applicationActivity', does: 'E', refs: ['notMe'] },
  'totp.reset': { table: 'users', fhir: 'applicationActivity', does: 'E', refs: ['notMe'] },
  'totp.recovery': { table: 'users', fhir: 'applicationActivity', does: 'E', refs: ['notMe'] },
  'passkey.list': { table: 'passkeys', fhir: 'applicationActivity', does: 'R' },
  'passkey.start': { table: 'passkeys', fhir: 'applicationActivity', does: 'E' },
  'passkey.add': { table: 'passkeys', fhir: 'applicationActivity', does: 'C', refs: ['notMe'] },
  'passkey.rename': { table: 'passkeys', fhir: 'applicationActivity', does: 'E' },
  'passkey.remove': { table: 'passkeys', fhir: 'applicationActivity', does: 'E', refs: ['notMe'] },
  'signOn.listed': { table: 'identities', fhir: 'userAuthentication', does: 'R' },
  /** An account at a provider of single sign-on. */
  'signOn.linked': { table: 'identities', fhir: 'userAuthentication', does: 'C', refs: ['notMe'] },
  'signOn.unlinked': { table: 'identities', fhir: 'userAuthentication', does: 'D', refs: ['notMe'] },
  /** The provider ended sessions. */
  'signOn.ended': { table: 'identities', fhir: 'userAuthentication', does: 'E' },
  /** The tokens of SCIM. */
  'scim.listed': { table: 'scimtokens', fhir: 'userAuthentication', does: 'R' },
  'scim.tokenCreated': { table: 'scimtokens', fhir: 'userAuthentication', does: 'C' },
  'scim.tokenRevoked': { table: 'scimtokens', fhir: 'userAuthentication', does: 'D' },
  /** A provider read or changed its accounts. */
  'scim.read': { table: 'users', fhir: 'securityAlert', does: 'R' },
  'scim.changed': { table: 'users', fhir: 'securityAlert', does: 'U' },
  'token.list': { table: 'tokens', fhir: 'userAuthentication', does: 'R' },
  'token.create': { table: 'tokens', fhir: 'userAuthentication', does: 'C', refs: ['notMe'] },
  /** About the image or the study that the token opens. */
  'token.viewer': { table: 'tokens', fhir: 'securityAlert', does: 'C', timeline: true },
  'token.revoke': { table: 'tokens', fhir: 'userAuthentication', does: 'D' },
  'profile.read': { table: 'users', fhir: 'securityAlert', does: 'R' },
  'profile.update': { table: 'users', fhir: 'securityAlert', does: 'U' },
  'profile.photo': { table: 'users', fhir: 'securityAlert', does: 'U', refs: ['photo'] },
  'profile.photoRemoved': { table: 'users', fhir: 'securityAlert', does: 'U' },
  'profile.delete': { table: 'users', fhir: 'securityAlert', does: 'D', settles: true },
  'profile.exported': { table: 'users', fhir: 'securityAlert', does: 'R' },
  'profile.disclosed': { table: 'auditlogs', fhir: 'auditLogUsed', does: 'R' },
  'user.list': { table: 'users', fhir: 'securityAlert', does: 'R' },
  'user.export': { table: 'users', fhir: 'securityAlert', does: 'R' },
  'user.read': { table: 'users', fhir: 'securityAlert', does: 'R' },
  'user.bulkRead': { table: 'users', fhir: 'securityAlert', does: 'E', notice: 'user.bulkRead' },
  'user.approve': { table: 'users', fhir: 'securityAlert', does: 'U', settles: true },
  'user.reconsidered': { table: 'users', fhir: 'securityAlert', does: 'U' },
  'user.reject': { table: 'users', fhir: 'securityAlert', does: 'U', settles: true },
  'user.activate': { table: 'users', fhir: 'securityAlert', does: 'U' },
  'user.deactivate': { table: 'users', fhir: 'securityAlert', does: 'U' },
  'user.delete': { table: 'users', fhir: 'securityAlert', does: 'D', settles: true },
  'user.role': { table: 'users', fhir: 'securityAlert', does: 'E' },
  /** A legal hold of a patient. Its reason is sealed in its record, and not in the log. */
  'user.holdSet': { table: 'users', fhir: 'securityAlert', does: 'U' },
  'user.holdLifted': { table: 'users', fhir: 'securityAlert', does: 'U' },
  'user.holdRead': { table: 'users', fhir: 'securityAlert', does: 'R' },
  'stats.read': { table: 'users', fhir: 'applicationActivity', does: 'R' },
  'image.upload': {
    table: 'imagemetadata',
    fhir: 'instancesAccessed',
    does: 'C',
    socket: 'image:uploaded',
    webhook: 'image.uploaded',
    timeline: true,
  },
  /** A copy with rectangles blacked out was made: `record` is the copy. */
  'image.blackOut': {
    table: 'imagemetadata',
    fhir: 'instancesAccessed',
    does: 'C',
    socket: 'image:uploaded',
    webhook: 'image.uploaded',
    refs: ['original'],
    timeline: true,
  },
  'image.list': { table: 'imagemetadata', fhir: 'instancesAccessed', does: 'R' },
  'image.read': { table: 'imagemetadata', fhir: 'instancesAccessed', does: 'R', timeline: true },
  'image.content': { table: 'imagemetadata', fhir: 'instancesAccessed', does: 'R', timeline: true },
  'image.preview': { table: 'imagemetadata', fhir: 'instancesAccessed', does: 'R', timeline: true },
  'image.view': { table: 'imagemetadata', fhir: 'instancesAccessed', does: 'R', timeline: true },
  /** The end of a look or of a download in ranges. The reason is the number of frames or ranges that were read. */
  'image.viewEnd': { table: 'imagemetadata', fhir: 'instancesAccessed', does: 'R' },
  'image.tags': { table: 'imagemetadata', fhir: 'instancesAccessed', does: 'R', timeline: true },
  'image.timeline': { table: 'imagemetadata', fhir: 'instancesAccessed', does: 'E' },
  'image.transfer': {
    table: 'imagemetadata',
    fhir: 'instancesAccessed',
    does: 'U',
    socket: 'image:updated',
    webhook: 'image.updated',
    timeline: true,
  },
  'image.delete': {
    table: 'imagemetadata',
    fhir: 'instancesAccessed',
    does: 'D',
    socket: 'image:deleted',
    webhook: 'image.deleted',
    refs: ['blob', 'study?'],
    settles: true,
  },
  'study.created': { table: 'studies', fhir: 'instancesAccessed', does: 'C' },
  'study.read': { table: 'studies', fhir: 'instancesAccessed', does: 'R', timeline: true },
  'study.frames': { table: 'studies', fhir: 'instancesAccessed', does: 'R', timeline: true },
  /** The end of a look. The reason is the number of frames that were read. */
  'study.viewEnd': { table: 'studies', fhir: 'instancesAccessed', does: 'R' },
  'study.content': { table: 'studies', fhir: 'instancesAccessed', does: 'R', timeline: true },
  'study.updated': {
    table: 'studies',
    fhir: 'instancesAccessed',
    does: 'U',
    socket: 'study:updated',
    webhook: 'study.updated',
    timeline: true,
  },
  'study.deleted': {
    table: 'studies',
    fhir: 'instancesAccessed',
    does: 'D',
    socket: 'study:deleted',
    webhook: 'study.deleted',
    settles: true,
  },
  /** A device that sends files by DICOM has sent no further one for a while. */
  'study.complete': {
    table: 'studies',
    fhir: 'instancesAccessed',
    does: 'E',
    socket: 'study:complete',
    webhook: 'study.complete',
    notice: 'study.complete',
  },
  'share.create': {
    table: 'shares',
    fhir: 'securityAlert',
    does: 'C',
    socket: 'share:created',
    webhook: 'share.created',
    notice: 'share.created',
    refs: ['share', 'lead?', 'mailed?'],
    timeline: true,
  },
  'share.verify': {
    table: 'shares',
    fhir: 'securityAlert',
    does: 'E',
    socket: 'share:verified',
    webhook: 'share.verified',
    notice: 'share.verified',
    refs: ['share', 'lead?'],
    timeline: true,
    settles: true,
  },
  'share.lock': {
    table: 'shares',
    fhir: 'securityAlert',
    does: 'E',
    socket: 'share:locked',
    webhook: 'share.locked',
    notice: 'share.locked',
    refs: ['share', 'lead?'],
    timeline: true,
  },
  'share.resend': {
    table: 'shares',
    fhir: 'securityAlert',
    does: 'E',
    socket: 'share:resent',
    refs: ['share', 'lead?'],
    timeline: true,
    settles: true,
  },
  'share.revoke': {
    table: 'shares',
    fhir: 'securityAlert',
    does: 'D',
    socket: 'share:revoked',
    webhook: 'share.revoked',
    notice: 'share.revoked',
    refs: ['share', 'lead?'],
    timeline: true,
    settles: true,
  },
  'share.expire': {
    table: 'shares',
    fhir: 'securityAlert',
    does: 'D',
    socket: 'share:expired',
    webhook: 'share.expired',
    refs: ['share', 'lead?'],
    timeline: true,
    settles: true,
  },
  'share.changed': {
    table: 'shares',
    fhir: 'securityAlert',
    does: 'U',
    socket: 'share:changed',
    webhook: 'share.changed',
    refs: ['share', 'lead?'],
    timeline: true,
  },
  'share.list': { table: 'shares', fhir: 'securityAlert', does: 'R' },
  /** `mailed` is present in the first of the invitations that one act makes for an address: its mail is about all of them. */
  'invite.created': {
    table: 'invites',
    fhir: 'securityAlert',
    does: 'C',
    socket: 'invite:created',
    refs: ['invite', 'mailed?'],
    timeline: true,
  },
  'invite.resent': { table: 'invites', fhir: 'securityAlert', does: 'E', refs: ['invite'], timeline: true },
  'invite.accepted': {
    table: 'invites',
    fhir: 'securityAlert',
    does: 'E',
    socket: 'invite:accepted',
    refs: ['invite'],
    timeline: true,
  },
  /** The reason is empty when a person cancelled it, else it says that it expired, or that the account was closed. */
  'invite.ended': {
    table: 'invites',
    fhir: 'securityAlert',
    does: 'D',
    socket: 'invite:ended',
    refs: ['invite'],
    timeline: true,
  },
  'guest.created': {
    table: 'guestlinks',
    fhir: 'securityAlert',
    does: 'C',
    socket: 'guest:created',
    webhook: 'guest.created',
    refs: ['link', 'lead?', 'mailed?'],
    timeline: true,
  },
  /** The code was entered. Only the first opening is a notice. */
  'guest.opened': {
    table: 'guestlinks',
    fhir: 'securityAlert',
    does: 'E',
    socket: 'guest:opened',
    webhook: 'guest.opened',
    notice: 'guest.opened',
    refs: ['link', 'lead?', 'first?'],
    timeline: true,
  },
  'guest.locked': {
    table: 'guestlinks',
    fhir: 'securityAlert',
    does: 'E',
    socket: 'guest:locked',
    webhook: 'guest.locked',
    refs: ['link', 'lead?'],
    timeline: true,
  },
  'guest.revoked': {
    table: 'guestlinks',
    fhir: 'securityAlert',
    does: 'D',
    socket: 'guest:revoked',
    webhook: 'guest.revoked',
    refs: ['link', 'lead?'],
    timeline: true,
  },
  'guest.expired': {
    table: 'guestlinks',
    fhir: 'securityAlert',
    does: 'D',
    socket: 'guest:expired',
    webhook: 'guest.expired',
    refs: ['link', 'lead?'],
    timeline: true,
  },
  'guest.listed': { table: 'guestlinks', fhir: 'securityAlert', does: 'R' },
  'guest.viewed': { table: 'guestlinks', fhir: 'instancesAccessed', does: 'R', timeline: true },
  /** The end of a look or of a download in ranges. The reason is the number of frames or ranges that were read. */
  'guest.viewEnded': { table: 'guestlinks', fhir: 'instancesAccessed', does: 'R' },
  'guest.downloaded': { table: 'guestlinks', fhir: 'instancesAccessed', does: 'R', timeline: true },
  'request.created': {
    table: 'imagerequests',
    fhir: 'securityAlert',
    does: 'C',
    socket: 'request:created',
    refs: ['mailed?'],
  },
  /** A file arrived. It is held: no list shows it before its request is taken. `records` names the request. */
  'request.file': { table: 'imagerequests', fhir: 'instancesAccessed', does: 'C', timeline: true },
  /** The sender removed the files that had arrived. */
  'request.cleared': { table: 'imagerequests', fhir: 'instancesAccessed', does: 'D' },
  'request.received': {
    table: 'imagerequests',
    fhir: 'instancesAccessed',
    does: 'E',
    socket: 'request:received',
    webhook: 'request.received',
    notice: 'request.received',
  },
  'request.taken': {
    table: 'imagerequests',
    fhir: 'instancesAccessed',
    does: 'E',
    socket: 'request:taken',
    settles: true,
  },
  'request.declined': {
    table: 'imagerequests',
    fhir: 'instancesAccessed',
    does: 'D',
    socket: 'request:declined',
    settles: true,
  },
  'request.revoked': {
    table: 'imagerequests',
    fhir: 'securityAlert',
    does: 'D',
    socket: 'request:revoked',
    settles: true,
  },
  'request.ended': {
    table: 'imagerequests',
    fhir: 'securityAlert',
    does: 'D',
    socket: 'request:ended',
    settles: true,
  },
  'request.read': { table: 'imagerequests', fhir: 'securityAlert', does: 'R' },
  'emergency.opened': {
    table: 'emergencies',
    fhir: 'securityAlert',
    does: 'C',
    socket: 'emergency:opened',
    webhook: 'emergency.opened',
    notice: 'emergency.opened',
    timeline: true,
  },
  /** The reason is empty when a person ended it, else it names the cause. */
  'emergency.ended': {
    table: 'emergencies',
    fhir: 'securityAlert',
    does: 'D',
    socket: 'emergency:ended',
    webhook: 'emergency.ended',
    timeline: true,
  },
  'emergency.approved': {
    table: 'emergencies',
    fhir: 'securityAlert',
    does: 'U',
    socket: 'emergency:approved',
    settles: true,
  },
  'emergency.questioned': {
    table: 'emergencies',
    fhir: 'securityAlert',
    does: 'U',
    socket: 'emergency:questioned',
    notice: 'emergency.questioned',
    settles: true,
  },
  'emergency.answered': {
    table: 'emergencies',
    fhir: 'securityAlert',
    does: 'U',
    socket: 'emergency:answered',
    notice: 'emergency.answered',
    settles: true,
  },
  /** A provider asked if a patient has images that they cannot open. */
  'emergency.asked': { table: 'users', fhir: 'securityAlert', does: 'R' },
  'emergency.listed': { table: 'emergencies', fhir: 'securityAlert', does: 'R' },
  'carer.named': {
    table: 'carers',
    fhir: 'securityAlert',
    does: 'C',
    socket: 'carer:named',
    notice: 'carer.named',
  },
  'carer.accepted': {
    table: 'carers',
    fhir: 'securityAlert',
    does: 'U',
    socket: 'carer:accepted',
    notice: 'carer.accepted',
    settles: true,
  },
  /** The reason is empty when a person of the two ended it, else it names the cause. */
  'carer.ended': {
    table: 'carers',
    fhir: 'securityAlert',
    does: 'D',
    socket: 'carer:ended',
    notice: 'carer.ended',
    settles: true,
  },
  'carer.listed': { table: 'carers', fhir: 'securityAlert', does: 'R' },
  'annotation.saved': { table: 'annotations', fhir: 'instancesAccessed', does: 'U', socket: 'annotations:changed' },
  'annotation.removed': {
    table: 'annotations',
    fhir: 'instancesAccessed',
    does: 'D',
    socket: 'annotations:changed',
  },
  'annotation.exported': { table: 'annotations', fhir: 'instancesAccessed', does: 'R', timeline: true },
  'analysis.request': { table: 'analyses', fhir: 'orderRecord', does: 'E', timeline: true },
  'analysis.complete': {
    table: 'analyses',
    fhir: 'orderRecord',
    does: 'E',
    socket: 'analysis:completed',
    webhook: 'analysis.completed',
    notice: 'analysis.completed',
    timeline: true,
  },
  'analysis.fail': {
    table: 'analyses',
    fhir: 'orderRecord',
    does: 'E',
    socket: 'analysis:failed',
    webhook: 'analysis.failed',
    notice: 'analysis.failed',
    timeline: true,
  },
  'analysis.signed': {
    table: 'analyses',
    fhir: 'orderRecord',
    does: 'U',
    socket: 'analysis:signed',
    webhook: 'analysis.signed',
    notice: 'analysis.signed',
    timeline: true,
  },
  'analysis.withdrawn': {
    table: 'analyses',
    fhir: 'orderRecord',
    does: 'U',
    socket: 'analysis:withdrawn',
    webhook: 'analysis.withdrawn',
    notice: 'analysis.withdrawn',
    timeline: true,
  },
  'analysis.report': { table: 'analyses', fhir: 'orderRecord', does: 'R', timeline: true },
  'consent.read': { table: 'consents', fhir: 'securityAlert', does: 'R' },
  /** The reason of the entry is the answer that the patient gave. */
  'consent.changed': { table: 'consents', fhir: 'securityAlert', does: 'U', settles: true },
  /** Somebody wanted to analyse an image of a patient who has not answered. */
  'consent.asked': { table: 'consents', fhir: 'securityAlert', does: 'E', notice: 'consent.asked' },
  'analysis.read': { table: 'analyses', fhir: 'orderRecord', does: 'R', timeline: true },
  'message.use': { table: 'messages', fhir: 'applicationActivity', does: 'E' },
  'voice.sent': { table: 'voices', fhir: 'applicationActivity', does: 'C' },
  'voice.played': { table: 'voices', fhir: 'applicationActivity', does: 'R' },
  /** The recording was removed with the account of its sender. */
  'voice.removed': { table: 'voices', fhir: 'applicationActivity', does: 'D', refs: ['blob'] },
  /** Messages whose retention time is over. `records` names them. */
  'message.expired': { table: 'messages', fhir: 'applicationActivity', does: 'D' },
  'notification.use': { table: 'notifications', fhir: 'applicationActivity', does: 'E' },
  'notification.chosen': {
    table: 'users',
    fhir: 'securityAlert',
    does: 'U',
    socket: 'notification:chosen',
  },
  'push.use': { table: 'pushsubscriptions', fhir: 'applicationActivity', does: 'E' },
  'push.subscribe': { table: 'pushsubscriptions', fhir: 'applicationActivity', does: 'E' },
  'push.unsubscribe': { table: 'pushsubscriptions', fhir: 'applicationActivity', does: 'E' },
  'webhook.listed': { table: 'webhooks', fhir: 'applicationActivity', does: 'R' },
  'webhook.created': { table: 'webhooks', fhir: 'applicationActivity', does: 'C' },
  'webhook.changed': { table: 'webhooks', fhir: 'applicationActivity', does: 'U' },
  /** It has a new secret. */
  'webhook.rotated': { table: 'webhooks', fhir: 'applicationActivity', does: 'U' },
  'webhook.removed': { table: 'webhooks', fhir: 'applicationActivity', does: 'D' },
  'webhook.tested': { table: 'webhooks', fhir: 'applicationActivity', does: 'E' },
  'webhook.replayed': { table: 'webhooks', fhir: 'applicationActivity', does: 'E' },
  /** The product turned it off: its address failed for days, or said that it is gone. */
  'webhook.stopped': { table: 'webhooks', fhir: 'applicationActivity', does: 'U', notice: 'webhook.stopped' },
  'dicomNode.listed': { table: 'dicomnodes', fhir: 'securityAlert', does: 'R' },
  'dicomNode.created': { table: 'dicomnodes', fhir: 'securityAlert', does: 'C' },
  'dicomNode.changed': { table: 'dicomnodes', fhir: 'securityAlert', does: 'U' },
  'dicomNode.removed': { table: 'dicomnodes', fhir: 'securityAlert', does: 'D' },
  /** The receiver refused an association of a device that it knows. The reason says why. */
  'dicomNode.refused': { table: 'dicomnodes', fhir: 'securityAlert', does: 'E' },
  'audit.list': { table: 'auditlogs', fhir: 'auditLogUsed', does: 'R' },
  'audit.export': { table: 'auditlogs', fhir: 'auditLogUsed', does: 'R' },
  'audit.verify': { table: 'auditlogs', fhir: 'auditLogUsed', does: 'E' },
  'audit.signed': { table: 'events', fhir: 'auditLogUsed', does: 'E' },
  'audit.foreign': { table: 'events', fhir: 'auditLogUsed', does: 'E' },
  'audit.gap': { table: 'events', fhir: 'auditLogUsed', does: 'E' },
  'audit.archived': { table: 'auditlogs', fhir: 'auditLogUsed', does: 'D' },
  'access.explain': { table: 'users', fhir: 'applicationActivity', does: 'E' },
  'role.list': { table: 'roles', fhir: 'securityAlert', does: 'R' },
  'setting.read': { table: 'appsettings', fhir: 'securityAlert', does: 'R' },
  'setting.list': { table: 'appsettings', fhir: 'securityAlert', does: 'R' },
  'setting.history': { table: 'appsettings', fhir: 'securityAlert', does: 'R' },
  'setting.add': { table: 'appsettings', fhir: 'securityAlert', does: 'C', socket: 'settings:changed' },
  'setting.edit': { table: 'appsettings', fhir: 'securityAlert', does: 'U', socket: 'settings:changed' },
  'setting.delete': { table: 'appsettings', fhir: 'securityAlert', does: 'D', socket: 'settings:changed' },
  'overview.read': { table: 'overview', fhir: 'applicationActivity', does: 'R' },
  /** The self-check ran. The product itself runs it once a day. */
  'overview.checked': { table: 'overview', fhir: 'applicationActivity', does: 'E' },
  /** The queues were opened for a look. */
  'job.watched': { table: 'jobs', fhir: 'applicationActivity', does: 'R' },
  'job.retry': { table: 'jobs', fhir: 'applicationActivity', does: 'E' },
} as const satisfies Record<string, ActionShape>;

type Actions = typeof auditActions;
/** The name of an action, `actiontype` in the audit log. */
export type AuditAction = keyof Actions;
export const auditActionNames = Object.keys(auditActions) as AuditAction[];

/** The actions whose row has this field, with the field's values. */
type With<Field extends keyof ActionShape> = {
  [A in AuditAction]: Actions[A] extends Record<Field, infer Value> ? { action: A; value: Value } : never;
}[AuditAction];
/** The socket events that notify browsers of an action. */
export type ActionEvent = With<'socket'>['value'];
export type NotificationKind = With<'notice'>['value'];
/** The events of webhooks that follow from an action. */
export type ActionWebhook = With<'webhook'>['value'];
export type TimelineAction = With<'timeline'>['action'];

type Row = Omit<ActionShape, 'socket' | 'notice' | 'webhook'> & {
  socket?: ActionEvent;
  notice?: NotificationKind;
  webhook?: ActionWebhook;
};
const rows: Record<AuditAction, Row> = auditActions;
/**
 * Returns the row of an action that was read from the database; undefined for an action of a newer version of the
 * product.
 */
export const actionOf = (action: AuditAction): Row | undefined => rows[action];

export const notificationKinds = [...new Set(auditActionNames.flatMap((action) => rows[action].notice ?? []))];
export const actionWebhooks = [...new Set(auditActionNames.flatMap((action) => rows[action].webhook ?? []))];
export const timelineActions = auditActionNames.filter(
  (action): action is TimelineAction => rows[action].timeline === true,
);

type Ref<A extends AuditAction> = Actions[A] extends { refs: readonly (infer Name extends string)[] } ? Name : never;
/** The records that an event of this action names beside `record`. */
export type RefsOf<A extends AuditAction, Id> = {
  [Name in Ref<A> as Name extends `${string}?` ? never : Name]: Id;
} & { [Name in Ref<A> as Name extends `${infer Optional}?` ? Optional : never]?: Id | undefined };
/** Actions whose events name other records. */
export type ActionWithRefs = With<'refs'>['action'];

/** The actions that are a look at an image, a study or an analysis. Their repeats in one session are one look. */
export const lookActions = [
  'image.read',
  'image.preview',
  'image.view',
  'image.content',
  'image.tags',
  'study.read',
  'study.frames',
  'study.content',
  'annotation.exported',
  'analysis.read',
  'analysis.report',
] as const satisfies AuditAction[];
export type LookAction = (typeof lookActions)[number];
