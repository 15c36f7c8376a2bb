import { z } from 'zod';
import { AnalysisResult, Failure } from './analysis/schemas.js';
import type { ActionEvent } from './audit/actions.js';
import { Id, Time } from './ids.js';
import { Message, ReadMessages, SendMessage } from './messages/calls.js';
import { Notification } from './notifications/calls.js';
import type { Permission } from './permissions.js';
import { JoinView, LeaveView, ViewPeople, ViewPointer, ViewState } from './together/schemas.js';

const ShareEvent = z.object({
  sharingRequestId: Id,
  imagemetadataId: Id,
  /** Present when the share is of a study; `imagemetadataId` then names the image that stands for it. */
  studyId: Id.optional(),
  createdfor: Id,
  expiresAt: Time.nullable(),
});
/** An invitation that begins or ends. */
const InviteEvent = z.object({ invitationId: Id });
/** A guest link was made, changed or ended. Sent to people who may share its image or study. */
const GuestEvent = z.object({ guestLinkId: Id, imagemetadataId: Id, studyId: Id.optional() });
/** A request for images was made, or has another state. Sent to the person who asked. */
const RequestEvent = z.object({ requestId: Id });
/** An emergency access begins or ends, or its review goes on. Sent to the people who see its record. */
const EmergencyEvent = z.object({ emergencyId: Id, patientId: Id });
/** A carer was named, accepted, or ended. Sent to the patient and the carer. */
const CarerEvent = z.object({ patientId: Id });
/** `studyId`: the image’s study, for viewers who may know of it. */
const ImageEvent = z.object({ imagemetadataId: Id, studyId: Id.optional() });
const StudyEvent = z.object({ studyId: Id });

/**
 * Socket.IO events from server to client: those that an action names (`audit/actions.ts`), and those that are not
 * recorded.
 */
export const serverEvents = {
  'message:new': Message,
  'message:delivered': z.object({ userId: Id, ids: z.array(Id), at: Time }),
  'message:read': z.object({ userId: Id, upTo: Id, at: Time }),
  typing: z.object({ userId: Id }),
  presence: z.object({ userId: Id, online: z.boolean() }),
  'notification:new': Notification,
  /** Notifications of the person were settled: the client reads its list again. */
  'notification:settled': z.object({}),
  /** The person chose how to be notified; the client reads the choices again. */
  'notification:chosen': z.object({}),
  'share:created': ShareEvent,
  'share:verified': ShareEvent,
  /** The code was entered wrongly five times; a new code unlocks the share. */
  'share:locked': ShareEvent,
  /** A new code was mailed to the recipient, and the tries start again. */
  'share:resent': ShareEvent,
  'share:revoked': ShareEvent,
  'share:expired': ShareEvent,
  /** The share has another end, or the download was allowed or forbidden. */
  'share:changed': ShareEvent.extend({ download: z.boolean() }),
  'invite:created': InviteEvent,
  'invite:accepted': InviteEvent,
  'invite:ended': InviteEvent,
  'guest:created': GuestEvent,
  'guest:opened': GuestEvent,
  /** The code was entered wrongly five times. */
  'guest:locked': GuestEvent,
  'guest:revoked': GuestEvent,
  'guest:expired': GuestEvent,
  'request:created': RequestEvent,
  'request:received': RequestEvent,
  'request:taken': RequestEvent,
  'request:declined': RequestEvent,
  'request:revoked': RequestEvent,
  'request:ended': RequestEvent,
  'emergency:opened': EmergencyEvent,
  'emergency:ended': EmergencyEvent,
  'emergency:approved': EmergencyEvent,
  'emergency:questioned': EmergencyEvent,
  'emergency:answered': EmergencyEvent,
  'carer:named': CarerEvent,
  'carer:accepted': CarerEvent,
  /** The carers of this patient may see other images now: the patient opened one, or their access to one ended. */
  'carer:changed': CarerEvent,
  'carer:ended': CarerEvent,
  'image:uploaded': ImageEvent,
  'image:updated': ImageEvent,
  'image:deleted': ImageEvent,
  /**
   * The image's timeline has a new entry. Sent to viewers who may read the timeline. For an entry about a study it names
   * the image that stands for the study, and the timelines of all its images have the entry.
   */
  'image:activity': ImageEvent,
  /** The study has another title, patient or owner. */
  'study:updated': StudyEvent,
  'study:complete': StudyEvent,
  /** The study was deleted. `image:deleted` follows for each of its images. */
  'study:deleted': StudyEvent,
  /** Somebody's marks on the image changed; the client reads them again. */
  'annotations:changed': z.object({ imageId: Id }),
  'analysis:progress': z.object({ imageId: Id, progress: z.number() }),
  'analysis:completed': AnalysisResult,
  'analysis:failed': Failure.extend({ imageId: Id }),
  'analysis:signed': z.object({ imageId: Id }),
  'analysis:withdrawn': z.object({ imageId: Id }),
  /** The people who look at an image together: sent when it changes, to those of them who may still open it. */
  'view:people': ViewPeople,
  'view:state': ViewState.extend({ userId: Id }),
  'view:pointer': ViewPointer.extend({ userId: Id }),
  /** A setting that every screen uses has changed; the client reads the settings again. */
  'settings:changed': z.object({}),
  'session:revoked': z.object({ reason: z.string() }),
} as const satisfies Record<ActionEvent, z.ZodType> & Record<string, z.ZodType>;
export type ServerEvent = keyof typeof serverEvents;
/** Events that a gateway sends by itself: no live update carries them. */
export type ViewEvent = Extract<ServerEvent, `view:${string}`>;
export type ServerPayload<E extends ServerEvent> = z.infer<(typeof serverEvents)[E]>;
export type ServerToClient = { [E in ServerEvent]: (payload: ServerPayload<E>) => void };

/** Socket.IO events from client to server. The server acknowledges each with `{data}` or the failure envelope. */
export const clientEvents = {
  'message:send': SendMessage,
  'message:delivered': z.strictObject({ ids: z.array(Id).min(1).max(200) }),
  'message:read': ReadMessages,
  typing: z.strictObject({ userId: Id }),
  /** Joins the people who look at an image. The acknowledgement has the `people`. */
  'view:join': JoinView,
  'view:leave': LeaveView,
  'view:state': ViewState,
  'view:pointer': ViewPointer,
  /**
   * True while this tab is visible. Devices are notified only when no tab of the person is. Also in the handshake, as
   * `auth.visible`.
   */
  visible: z.strictObject({ visible: z.boolean() }),
} as const;
/**
 * The permission that each event requires. Policies of the features decide about the records that it names, as in
 * calls.
 */
export const clientEventRules = {
  'message:send': 'message.use',
  'message:delivered': 'message.use',
  'message:read': 'message.use',
  typing: 'message.use',
  'view:join': 'image.read',
  'view:leave': 'image.read',
  'view:state': 'image.read',
  'view:pointer': 'image.read',
  visible: 'push.use',
} as const satisfies Record<keyof typeof clientEvents, Permission>;
export type ClientEvent = keyof typeof clientEvents;
export type ClientPayload<E extends ClientEvent> = z.output<(typeof clientEvents)[E]>;
