import { readingRule } from '@lightbox/contract/analysis/policy.js';
import { carerRules } from '@lightbox/contract/carers/policy.js';
import type { ServerEvent, ServerPayload, ViewEvent } from '@lightbox/contract/events.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import { helps } from '@lightbox/core/access/carers.js';
import { findImage } from '@lightbox/core/access/images.js';
import {
  followedLink,
  followedShare,
  followsRequest,
  mayImage,
  mayStudy,
  seenEmergency,
} from '@lightbox/core/access/news.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { LiveUpdate } from '@lightbox/core/events/signals.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { CarerDoc } from '@lightbox/core/models/carer.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import { findAnalysis, hidesDrafts } from '../analysis/analysis.js';
import { presentFailure, presentResult } from '../analysis/present.js';
import { carerFacts } from '../carers/present.js';
import type { Gateway, Viewer } from '../context.js';
import { presentMessage } from '../messages/present.js';
import { presentNotifications } from '../notifications/present.js';
import { namesOfTarget } from '../sharing/present.js';

type Refs = LiveUpdate['refs'];
/**
 * Returns the payload for one viewer, read now and through the policy; null when the viewer may not, or no longer, see
 * it.
 */
type Payload<P> = (gateway: Gateway, viewer: Pick<Viewer, 'id' | 'role' | '_id'>, refs: Refs) => Promise<P | null>;

const text = (refs: Refs, name: string): string => String(refs[name] ?? '');

const share: Payload<ServerPayload<'share:created'>> = async (gateway, viewer, refs) => {
  const found = await followedShare(gateway, viewer, text(refs, 'share'));
  return (
    found && {
      sharingRequestId: String(found._id),
      ...namesOfTarget(found),
      createdfor: String(found.recipient),
      expiresAt: found.expiresAt?.toISOString() ?? null,
    }
  );
};

const changedShare: Payload<ServerPayload<'share:changed'>> = async (gateway, viewer, refs) => {
  const [payload, found] = await Promise.all([
    share(gateway, viewer, refs),
    gateway.models.Share.findById(oid(text(refs, 'share')), { download: 1 }).lean<ShareDoc>(),
  ]);
  return payload && { ...payload, download: found?.download !== false };
};

/** The record may be gone. The recipients are the people who may manage it, and learn only its id. */
const invite: Payload<ServerPayload<'invite:ended'>> = async (_gateway, _viewer, refs) => ({
  invitationId: text(refs, 'invite'),
});

const guest: Payload<ServerPayload<'guest:created'>> = async (gateway, viewer, refs) => {
  const link = await followedLink(gateway, viewer, text(refs, 'link'));
  return link && { guestLinkId: String(link._id), ...namesOfTarget(link) };
};

const request: Payload<ServerPayload<'request:created'>> = async (gateway, viewer, refs) => {
  const requestId = text(refs, 'record');
  return (await followsRequest(gateway, viewer, requestId)) ? { requestId } : null;
};

const emergency: Payload<ServerPayload<'emergency:opened'>> = async (gateway, viewer, refs) => {
  const found = await seenEmergency(gateway, viewer, text(refs, 'record'));
  return found && { emergencyId: String(found._id), patientId: String(found.patient) };
};

/** For the two people of the record. */
const carer: Payload<ServerPayload<'carer:ended'>> = async ({ models }, viewer, refs) => {
  const found = await models.Carer.findById(oid(text(refs, 'record'))).lean<CarerDoc>();
  return found && carerRules.see(viewer, carerFacts(found)) ? { patientId: String(found.patient) } : null;
};

/** For the carers of the recipient of a share. */
const cared: Payload<ServerPayload<'carer:changed'>> = async ({ models }, viewer, refs) => {
  const share = await models.Share.findById(oid(text(refs, 'share')), { recipient: 1 }).lean<ShareDoc>();
  return share && (await helps(models, viewer._id, share.recipient)) ? { patientId: String(share.recipient) } : null;
};

const study: Payload<ServerPayload<'study:updated'>> = async (gateway, viewer, refs) => {
  const studyId = text(refs, 'record');
  return (await mayStudy('see', gateway, viewer, studyId)) ? { studyId } : null;
};

const image: Payload<ServerPayload<'image:uploaded'>> = async (gateway, viewer, refs) => {
  const access = await findImage(gateway.models, viewer, text(refs, 'record'), gateway.clock.now());
  if (!access) return null;
  const { studyId } = access;
  return { imagemetadataId: text(refs, 'record'), ...(studyId ? { studyId } : {}) };
};

const mayReadAnalysis = (gateway: Gateway, viewer: Pick<Viewer, 'id' | 'role'>, imageId: string) =>
  mayImage('analyse', gateway, viewer, imageId);

/** For everybody who may read the signed text. It says nothing about the text; the client reads it. */
const review: Payload<ServerPayload<'analysis:signed'>> = async (gateway, viewer, refs) => {
  const imageId = text(refs, 'record');
  return (await mayImage(readingRule(viewer.role), gateway, viewer, imageId)) ? { imageId } : null;
};

/** One row per event of a live update. */
export const payloads: { [E in Exclude<ServerEvent, 'session:revoked' | ViewEvent>]: Payload<ServerPayload<E>> } = {
  'message:new': async (gateway, viewer, refs) => {
    const id = text(refs, 'record');
    const message =
      gateway.recentMessages.get(id) ?? (await gateway.models.Message.findById(oid(id)).lean<MessageDoc>());
    const mine = message && (message.sender.equals(viewer._id) || message.recipient.equals(viewer._id));
    return mine ? presentMessage(gateway, viewer, message) : null;
  },
  'message:delivered': async (_gateway, _viewer, refs) => ({
    userId: text(refs, 'userId'),
    ids: refs.ids as string[],
    at: text(refs, 'at'),
  }),
  'message:read': async (_gateway, _viewer, refs) => ({
    userId: text(refs, 'userId'),
    upTo: text(refs, 'upTo'),
    at: text(refs, 'at'),
  }),
  typing: async (_gateway, _viewer, refs) => ({ userId: text(refs, 'userId') }),
  presence: async (_gateway, _viewer, refs) => ({ userId: text(refs, 'userId'), online: refs.online === 1 }),
  'notification:new': async (gateway, viewer, refs) => {
    const found = await gateway.models.Notification.findOne({
      _id: oid(text(refs, 'record')),
      user: viewer._id,
    }).lean<NotificationDoc>();
    const [notice] = found ? await presentNotifications(gateway, viewer, [found]) : [];
    return notice ?? null;
  },
  'notification:settled': async () => ({}),
  'notification:chosen': async (_gateway, viewer, refs) => (text(refs, 'record') === viewer.id ? {} : null),
  'share:created': share,
  'share:verified': share,
  'share:locked': share,
  'share:resent': share,
  'share:revoked': share,
  'share:expired': share,
  'share:changed': changedShare,
  'invite:created': invite,
  'invite:accepted': invite,
  'invite:ended': invite,
  'guest:created': guest,
  'guest:opened': guest,
  'guest:locked': guest,
  'guest:revoked': guest,
  'guest:expired': guest,
  'request:created': request,
  'request:received': request,
  'request:taken': request,
  'request:declined': request,
  'request:revoked': request,
  'request:ended': request,
  'emergency:opened': emergency,
  'emergency:ended': emergency,
  'emergency:approved': emergency,
  'emergency:questioned': emergency,
  'emergency:answered': emergency,
  'carer:named': carer,
  'carer:accepted': carer,
  'carer:changed': cared,
  'carer:ended': carer,
  'image:uploaded': image,
  'image:updated': image,
  // The record is gone. The recipients were chosen before its deletion, and learn only that it is deleted.
  'image:deleted': async (_gateway, _viewer, refs) => ({
    imagemetadataId: text(refs, 'record'),
    ...(refs.study ? { studyId: text(refs, 'study') } : {}),
  }),
  'study:updated': study,
  'study:complete': study,
  // As with a deleted image.
  'study:deleted': async (_gateway, _viewer, refs) => ({ studyId: text(refs, 'record') }),
  'settings:changed': async () => ({}),
  'image:activity': async (gateway, viewer, refs) => {
    const imagemetadataId = text(refs, 'record');
    if (!refs.study) return (await mayImage('timeline', gateway, viewer, imagemetadataId)) ? { imagemetadataId } : null;
    const studyId = text(refs, 'study');
    return (await mayStudy('timeline', gateway, viewer, studyId)) ? { imagemetadataId, studyId } : null;
  },
  'annotations:changed': async (gateway, viewer, refs) => {
    const imageId = text(refs, 'record');
    return (await mayImage('open', gateway, viewer, imageId)) ? { imageId } : null;
  },
  'analysis:progress': async (gateway, viewer, refs) => {
    const imageId = text(refs, 'record');
    if (!(await mayReadAnalysis(gateway, viewer, imageId))) return null;
    // A late signal must not show a finished analysis as running.
    const running = await gateway.models.Analysis.exists({ _id: oid(imageId), status: 'active' });
    return running && { imageId, progress: Number(refs.progress) };
  },
  'analysis:completed': async (gateway, viewer, refs) => {
    const access = await findImage(gateway.models, viewer, text(refs, 'record'), gateway.clock.now());
    if (!access || !imageRules.analyse(viewer, access.facts)) return null;
    const { image } = access;
    const analysis = await findAnalysis(gateway, image);
    if (!analysis || (await hidesDrafts(gateway, image, analysis))) return null;
    return presentResult(gateway, viewer, image, analysis);
  },
  'analysis:failed': async (gateway, viewer, refs) => {
    const imageId = text(refs, 'record');
    if (!(await mayReadAnalysis(gateway, viewer, imageId))) return null;
    const analysis = await gateway.models.Analysis.findById(oid(imageId)).lean<AnalysisDoc>();
    return analysis?.status === 'failed' ? { imageId, ...presentFailure(analysis) } : null;
  },
  'analysis:signed': review,
  'analysis:withdrawn': review,
};
