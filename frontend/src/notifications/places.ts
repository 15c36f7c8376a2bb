import type { NotificationKind } from '@lightbox/contract/audit/actions.js';
import type { PushKind } from '@lightbox/contract/push/calls.js';
import { paths } from '../lib/paths';

const image = [paths.image(':id'), paths.viewImages] as const;
const analysis = [paths.aiAnalysis(':id'), paths.viewImages] as const;
const emergency = [paths.emergency(':id'), paths.emergencies] as const;

/** The address of each kind of notification, with and without the id of its record. The service worker gets it too. */
export const places: Record<PushKind, readonly [withId: string, without: string]> = {
  'share.created': image,
  'share.verified': image,
  // For the owner, who sends a new code; the recipient who locked it gets no notice.
  'share.locked': [`${paths.sharesOf(':id')}`, paths.viewImages],
  // After a revocation the recipient cannot open the image, so both addresses are the gallery.
  'share.revoked': [paths.viewImages, paths.viewImages],
  'guest.opened': image,
  'study.complete': [paths.study(':id'), paths.viewImages],
  'request.received': [paths.request(':id'), paths.requests],
  'emergency.opened': emergency,
  'emergency.questioned': emergency,
  'emergency.answered': emergency,
  'carer.named': [paths.carers, paths.carers],
  'carer.accepted': [paths.carers, paths.carers],
  'carer.ended': [paths.carers, paths.carers],
  'analysis.completed': analysis,
  'analysis.failed': analysis,
  'analysis.signed': analysis,
  'analysis.withdrawn': analysis,
  'consent.asked': [paths.profile, paths.profile],
  'provider.registered': [paths.approveProvider, paths.approveProvider],
  'auth.breakGlassUsed': [paths.auditLogs, paths.auditLogs],
  'webhook.stopped': [paths.profile, paths.profile],
  'user.bulkRead': [`${paths.auditLogs}?user=:id`, paths.auditLogs],
  'message.new': [`${paths.messages}?chat=:id`, paths.messages],
};

interface Notice {
  kind: PushKind;
  recordId?: string | undefined;
  studyId?: string | undefined;
}

/**
 * Returns the address of a notification: an image, a study, an analysis, a chat, or the list of providers who wait for
 * approval.
 */
export function addressOf({ kind, recordId, studyId }: Notice): string {
  const [withId, without] = places[kind];
  if (studyId && withId === image[0]) return paths.study(studyId);
  return recordId ? withId.replace(':id', recordId) : without;
}

/** The notifications about an image that their reader may certainly open: it is theirs, or they verified it. */
const opened: readonly PushKind[] = ['share.verified', 'analysis.completed'];

/** Returns the address in the viewer of the image or study that a notification is about. */
export function viewerOf({ kind, recordId, studyId }: Notice): string | undefined {
  if (!opened.includes(kind)) return undefined;
  if (studyId) return paths.studyViewer(studyId);
  return recordId && paths.viewer(recordId);
}

const aboutStudies = ['share.created', 'share.verified', 'share.locked', 'share.revoked'] as const;
type AboutStudy = (typeof aboutStudies)[number];

/** Returns the path of the texts of a notification. A share has other words when it is of a study. */
export const textsOf = <K extends NotificationKind>({ kind, studyId }: { kind: K; studyId?: string | undefined }) =>
  studyId && (aboutStudies as readonly string[]).includes(kind)
    ? (`notifications.study.${kind as AboutStudy}` as const)
    : (`notifications.kind.${kind}` as const);
