import type { NotificationKind } from '@lightbox/contract/audit/actions.js';
import { carerRules } from '@lightbox/contract/carers/policy.js';
import { emergencyRules } from '@lightbox/contract/emergencies/policy.js';
import { formOf, imageRules } from '@lightbox/contract/images/policy.js';
import type { Notification } from '@lightbox/contract/notifications/calls.js';
import { shareState } from '@lightbox/contract/sharing/states.js';
import { texts } from '@lightbox/contract/texts.js';
import { partiesOf } from '@lightbox/core/access/emergencies.js';
import { noGrounds } from '@lightbox/core/access/grounds.js';
import { imageFacts } from '@lightbox/core/access/images.js';
import { covering, covers, liveShare, strongest } from '@lightbox/core/access/shares.js';
import { studyFacts } from '@lightbox/core/access/studies.js';
import type { CarerDoc } from '@lightbox/core/models/carer.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { carerFacts } from '../carers/present.js';
import type { Gateway, Viewer } from '../context.js';
import { namesOf } from '../users/names.js';

type Reader = Pick<Viewer, 'id' | 'role' | '_id'>;
type Named = Pick<Notification, 'caption' | 'expiresAt'>;

const aboutAccounts: readonly NotificationKind[] = ['provider.registered', 'user.bulkRead', 'auth.breakGlassUsed'];
const aboutEmergencies: readonly NotificationKind[] = [
  'emergency.opened',
  'emergency.questioned',
  'emergency.answered',
];
const aboutCarers: readonly NotificationKind[] = ['carer.named', 'carer.accepted', 'carer.ended'];
const withoutImage: readonly NotificationKind[] = [
  ...aboutAccounts,
  ...aboutEmergencies,
  ...aboutCarers,
  // A device has sent it: the notice names its study alone.
  'study.complete',
  'webhook.stopped',
];

/**
 * Presents notifications with the names that the viewer may know now, with a few queries for any number of them. A
 * notification about an image whose share has ended or is locked has no names: the client then uses plain words.
 */
export async function presentNotifications(
  gateway: Gateway,
  viewer: Reader,
  notifications: NotificationDoc[],
): Promise<Notification[]> {
  const [subjectOf, sees, seesCarer] = await Promise.all([
    subjectsOf(gateway, viewer, notifications),
    emergenciesSeen(gateway, viewer, notifications),
    carersSeen(gateway, viewer, notifications),
  ]);
  const people = notifications.map((one) => {
    if (aboutAccounts.includes(one.kind)) return viewer.role === 'admin' ? one.record : undefined;
    if (aboutEmergencies.includes(one.kind)) return sees(one) ? one.actor : undefined;
    if (aboutCarers.includes(one.kind)) return seesCarer(one) ? one.actor : undefined;
    return subjectOf(one) && one.actor;
  });
  const name = await namesOf(gateway.models, people);
  return notifications.map((one, i) => {
    const person = people[i];
    return {
      id: String(one._id),
      kind: one.kind,
      at: one.at.toISOString(),
      ...(one.record ? { recordId: String(one.record) } : {}),
      ...(one.study ? { studyId: String(one.study) } : {}),
      ...(one.readAt ? { readAt: one.readAt.toISOString() } : {}),
      ...(person ? { actor: name(person) } : {}),
      ...subjectOf(one),
    };
  });
}

/** Returns for each notification whether the viewer sees the emergency access that it is about. */
async function emergenciesSeen({ models }: Gateway, viewer: Reader, notifications: NotificationDoc[]) {
  const about = notifications.flatMap(({ kind, record }) => (aboutEmergencies.includes(kind) ? (record ?? []) : []));
  const found = about.length > 0 ? await models.Emergency.find({ _id: { $in: about } }).lean<EmergencyDoc[]>() : [];
  const seen = new Set(found.flatMap((one) => (emergencyRules.see(viewer, partiesOf(one)) ? String(one._id) : [])));
  return ({ record }: NotificationDoc): boolean => seen.has(String(record));
}

/** Returns for each notification whether the viewer is one of the two people of the carer's record. */
async function carersSeen({ models }: Gateway, viewer: Reader, notifications: NotificationDoc[]) {
  const about = notifications.flatMap(({ kind, record }) => (aboutCarers.includes(kind) ? (record ?? []) : []));
  const found = about.length > 0 ? await models.Carer.find({ _id: { $in: about } }).lean<CarerDoc[]>() : [];
  const seen = new Set(found.flatMap((one) => (carerRules.see(viewer, carerFacts(one)) ? String(one._id) : [])));
  return ({ record }: NotificationDoc): boolean => seen.has(String(record));
}

/** Reads the images and studies of notifications. Returns what the viewer may see of each now. */
async function subjectsOf({ models, clock }: Gateway, viewer: Reader, notifications: NotificationDoc[]) {
  const about = notifications.filter(({ kind }) => !withoutImage.includes(kind));
  const [images, studies] = await Promise.all([
    models.Image.find({ _id: { $in: about.flatMap(({ record, study }) => (study ? [] : (record ?? []))) } }).lean<
      ImageDoc[]
    >(),
    models.Study.find({ _id: { $in: about.flatMap(({ study }) => study ?? []) } }).lean<StudyDoc[]>(),
  ]);
  const targets = [...images, ...studies.map(({ _id }) => ({ _id, study: _id }))];
  const now = clock.now();
  const shares =
    targets.length > 0
      ? await models.Share.find({ ...covering(targets), recipient: viewer._id, ...liveShare(now) }).lean<ShareDoc[]>()
      : [];
  const named = new Map<string, Named>();
  for (const image of images) {
    const mine = shares.filter((one) => covers(one, image));
    const facts = imageFacts(image, mine, noGrounds);
    if (imageRules.see(viewer, facts)) {
      const caption = formOf(viewer, facts) === 'copy' ? texts.copyCaption : image.caption;
      named.set(String(image._id), namedBy(caption, strongest(mine)));
    }
  }
  for (const study of studies) {
    const share = strongest(shares.filter((one) => one.study?.equals(study._id)));
    const facts = studyFacts(study, share, noGrounds);
    const title = formOf(viewer, facts) === 'copy' ? texts.copyTitle : study.title;
    if (imageRules.see(viewer, facts)) named.set(String(study._id), namedBy(title, share));
  }
  const locked = new Set(shares.filter((share) => shareState(share, now) === 'locked').map(({ _id }) => String(_id)));
  return ({ kind, record, study, share }: NotificationDoc): Named | undefined =>
    withoutImage.includes(kind) || (share && locked.has(String(share)))
      ? undefined
      : named.get(String(study ?? record));
}

const namedBy = (caption: string, share: ShareDoc | null): Named => ({
  caption,
  ...(share?.expiresAt ? { expiresAt: share.expiresAt.toISOString() } : {}),
});
