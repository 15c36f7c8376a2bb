import type { NotificationKind } from '@lightbox/contract/audit/actions.js';
import type { EmergencyReviewState } from '@lightbox/contract/emergencies/states.js';
import { type ShareState, shareState } from '@lightbox/contract/sharing/states.js';
import type { Core } from '@lightbox/core/core.js';
import type { CarerDoc } from '@lightbox/core/models/carer.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { ImageRequestDoc } from '@lightbox/core/models/imageRequest.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';

/** The notices that ask the person for something, with the state of the share in which they still do. */
const waitsFor: Partial<Record<NotificationKind, ShareState>> = {
  'share.created': 'pending',
  'share.locked': 'locked',
};
/** The same, with the state of the review of an emergency access. */
const reviewWaitsFor: Partial<Record<NotificationKind, EmergencyReviewState>> = {
  'emergency.opened': 'open',
  'emergency.questioned': 'questioned',
  'emergency.answered': 'answered',
};
const settleable: NotificationKind[] = [
  'share.created',
  'share.locked',
  'provider.registered',
  'request.received',
  'emergency.opened',
  'emergency.questioned',
  'emergency.answered',
  'carer.named',
  'consent.asked',
];

/**
 * Marks the unread notices about the records of an event as read if nothing is left to do: the share was opened, ended
 * or has a new code, the provider was decided, the request was taken, declined, withdrawn or ended, the carer answered, the
 * patient answered. The state of the record decides, so the order of jobs does not matter.
 */
export async function settleNotices(core: Core, { record, records = [], refs }: EventDoc): Promise<void> {
  const about = [...(record ? [record] : []), ...records];
  const unread = await core.models.Notification.find({
    unread: true,
    kind: { $in: settleable },
    $or: [{ record: { $in: about } }, ...(refs.share ? [{ share: refs.share }] : [])],
  }).lean<NotificationDoc[]>();
  const settled = await settledOf(core, unread);
  if (settled.length === 0) return;
  await core.models.Notification.updateMany(
    { _id: { $in: settled.map(({ _id }) => _id) }, unread: true },
    { $set: { unread: false, readAt: core.clock.now() } },
  );
  const to = [...new Set(settled.map(({ user }) => String(user)))];
  await core.signals.send([{ push: { name: 'notification:settled', to, refs: {} } }]);
}

async function settledOf({ models, clock }: Core, notices: NotificationDoc[]): Promise<NotificationDoc[]> {
  if (notices.length === 0) return [];
  const [shares, emergencies, waiting, requests, carers, asked] = await Promise.all([
    models.Share.find({ _id: { $in: notices.flatMap(({ share }) => share ?? []) } }).lean<ShareDoc[]>(),
    models.Emergency.find({
      _id: { $in: notices.flatMap(({ kind, record }) => (kind in reviewWaitsFor ? (record ?? []) : [])) },
    }).lean<EmergencyDoc[]>(),
    models.User.find({
      _id: { $in: notices.flatMap(({ kind, record }) => (kind === 'provider.registered' ? (record ?? []) : [])) },
      status: 'pending',
      deletedAt: { $exists: false },
    }).lean<UserDoc[]>(),
    models.ImageRequest.find({
      _id: { $in: notices.flatMap(({ kind, record }) => (kind === 'request.received' ? (record ?? []) : [])) },
      state: 'received',
    }).lean<ImageRequestDoc[]>(),
    models.Carer.find({
      _id: { $in: notices.flatMap(({ kind, record }) => (kind === 'carer.named' ? (record ?? []) : [])) },
      state: 'waiting',
    }).lean<CarerDoc[]>(),
    models.User.find({
      _id: { $in: notices.flatMap(({ kind, record }) => (kind === 'consent.asked' ? (record ?? []) : [])) },
      'consents.analysis': { $in: [null, 'unset'] },
    }).lean<UserDoc[]>(),
  ]);
  const now = clock.now();
  return notices.filter(({ kind, record, user, share: shareId }) => {
    if (kind === 'provider.registered') return !waiting.some(({ _id }) => record?.equals(_id));
    if (kind === 'request.received') return !requests.some(({ _id }) => record?.equals(_id));
    if (kind === 'carer.named') return !carers.some(({ _id }) => record?.equals(_id));
    if (kind === 'consent.asked') return !asked.some(({ _id }) => record?.equals(_id));
    if (kind in reviewWaitsFor) {
      const emergency = emergencies.find(({ _id }) => record?.equals(_id));
      // The patient has no part in the review: their notice is read when they look at it.
      return emergency !== undefined && !emergency.patient.equals(user) && emergency.state !== reviewWaitsFor[kind];
    }
    const share = shares.find(({ _id }) => shareId?.equals(_id));
    // A notice of an older version names no share.
    return shareId !== undefined && (!share || shareState(share, now) !== waitsFor[kind]);
  });
}
