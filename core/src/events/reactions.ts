import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import type { ServerEvent } from '@lightbox/contract/events.js';
import type { NotificationKind } from '@lightbox/contract/notifications/calls.js';
import type { EventDoc } from '../models/event.js';
import type { JobRequest } from '../queues/queues.js';

export const mailTemplates = [
  'verificationCode',
  'resetCode',
  'imageShared',
  'accountApproved',
  'accountRejected',
  'passwordChanged',
  'wrongPasswords',
  'alreadyHaveAccount',
  'unreadMessages',
  'roleChanged',
  'totpOn',
  'totpOff',
  'passkeyAdded',
  'passkeyRemoved',
  'recoveryCodes',
] as const;
export type MailTemplate = (typeof mailTemplates)[number];

interface Reaction {
  /** Shown at once in the browsers of the event's recipients. */
  push?: ServerEvent;
  /** The push is for everybody who is signed in. */
  pushAll?: true;
  /** Written into the recipients' notification centre, except the actor's own. */
  notify?: NotificationKind;
  mail?: (event: EventDoc) => MailTemplate | null;
  jobs?: (event: EventDoc) => JobRequest[];
}

const onlyWith = (ref: string, template: MailTemplate) => (event: EventDoc) => (event.refs[ref] ? template : null);

const imageId = (event: EventDoc) => String(event.record);

/**
 * What follows from each event, in one table: whoever adds a feature adds a row. What is not listed is audited and
 * nothing more. Failed and denied acts have no consequences but their audit entry.
 */
export const reactions: Partial<Record<AuditAction, Reaction>> = {
  'auth.register': {
    mail: (event) => (event.refs.existing ? 'alreadyHaveAccount' : event.refs.code ? 'verificationCode' : null),
    notify: 'provider.registered',
  },
  'auth.login': { mail: onlyWith('code', 'verificationCode') },
  'auth.guesses': { mail: () => 'wrongPasswords' },
  'auth.resendCode': { mail: onlyWith('code', 'verificationCode') },
  'auth.stepUpMail': { mail: onlyWith('code', 'verificationCode') },
  'auth.forgotPassword': { mail: onlyWith('code', 'resetCode') },
  'auth.resetPassword': { mail: () => 'passwordChanged' },
  'auth.changePassword': { mail: () => 'passwordChanged' },
  'totp.on': { mail: () => 'totpOn' },
  'totp.off': { mail: () => 'totpOff' },
  'totp.reset': { mail: () => 'totpOff' },
  'passkey.add': { mail: () => 'passkeyAdded' },
  'passkey.remove': { mail: () => 'passkeyRemoved' },
  'totp.recovery': { mail: () => 'recoveryCodes' },
  'user.bulkRead': { notify: 'user.bulkRead' },
  'user.role': { mail: () => 'roleChanged' },
  'user.approve': { mail: () => 'accountApproved' },
  'user.reject': { mail: () => 'accountRejected' },
  'image.upload': {
    push: 'image:uploaded',
    jobs: (event) => [{ name: 'renderPreview', data: { imageId: imageId(event) }, id: `${event._id}-preview` }],
  },
  'image.delete': {
    push: 'image:deleted',
    jobs: (event) =>
      event.refs.blob
        ? [{ name: 'removeBlob', data: { blobId: String(event.refs.blob) }, id: `${event._id}-blob` }]
        : [],
  },
  'image.transfer': { push: 'image:updated' },
  'share.create': { push: 'share:created', notify: 'share.created', mail: onlyWith('mailed', 'imageShared') },
  'share.verify': { push: 'share:verified', notify: 'share.verified' },
  'share.lock': { push: 'share:locked' },
  'share.resend': { mail: onlyWith('share', 'imageShared') },
  'share.revoke': { push: 'share:revoked', notify: 'share.revoked' },
  'share.expire': { push: 'share:expired' },
  'analysis.request': {
    jobs: (event) => [{ name: 'analyseImage', data: { imageId: imageId(event) }, id: `${event._id}-analysis` }],
  },
  'analysis.complete': { push: 'analysis:completed', notify: 'analysis.completed' },
  'setting.add': { push: 'settings:changed', pushAll: true },
  'setting.edit': { push: 'settings:changed', pushAll: true },
  'setting.delete': { push: 'settings:changed', pushAll: true },
  'analysis.fail': { push: 'analysis:failed', notify: 'analysis.failed' },
};
