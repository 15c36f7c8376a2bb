import { z } from 'zod';
import { AnalysisResult, Failure } from './analysis/schemas.js';
import type { ActionEvent } from './audit/actions.js';
import { Id, Time } from './ids.js';
import { Message, ReadMessages, SendMessage } from './messages/calls.js';
import { Notification } from './notifications/calls.js';
import type { Permission } from './permissions.js';

const ShareEvent = z.object({
  sharingRequestId: Id,
  imagemetadataId: Id,
  createdfor: Id,
  expiresAt: Time.nullable(),
});
const ImageEvent = z.object({ imagemetadataId: Id });

/** Socket.IO, server to client: one for each that an action names (`audit/actions.ts`), and those that nobody records. */
export const serverEvents = {
  'message:new': Message,
  'message:delivered': z.object({ userId: Id, ids: z.array(Id), at: Time }),
  'message:read': z.object({ userId: Id, upTo: Id, at: Time }),
  typing: z.object({ userId: Id }),
  presence: z.object({ userId: Id, online: z.boolean() }),
  'notification:new': Notification,
  'share:created': ShareEvent,
  'share:verified': ShareEvent,
  /** Its code was entered wrongly five times; a new one opens it again. */
  'share:locked': ShareEvent,
  'share:revoked': ShareEvent,
  'share:expired': ShareEvent,
  'image:uploaded': ImageEvent,
  'image:updated': ImageEvent,
  'image:deleted': ImageEvent,
  /** Its timeline has something new; to whoever may read that. */
  'image:activity': ImageEvent,
  'analysis:progress': z.object({ imageId: Id, progress: z.number() }),
  'analysis:completed': AnalysisResult,
  'analysis:failed': Failure.extend({ imageId: Id }),
  /** What every screen goes by has changed: read it again. */
  'settings:changed': z.object({}),
  'session:revoked': z.object({ reason: z.string() }),
} as const satisfies Record<ActionEvent, z.ZodType> & Record<string, z.ZodType>;
export type ServerEvent = keyof typeof serverEvents;
export type ServerPayload<E extends ServerEvent> = z.infer<(typeof serverEvents)[E]>;
export type ServerToClient = { [E in ServerEvent]: (payload: ServerPayload<E>) => void };

/** Client to server, each acknowledged with `{data}` or the failure envelope. */
export const clientEvents = {
  'message:send': SendMessage,
  'message:delivered': z.strictObject({ ids: z.array(Id).min(1).max(200) }),
  'message:read': ReadMessages,
  typing: z.strictObject({ userId: Id }),
  /** Whether this tab can be seen; devices are notified of what nobody sees. Also said in the handshake, as `auth.visible`. */
  visible: z.strictObject({ visible: z.boolean() }),
} as const;
/** What the role must hold to say it; the objects it names are judged by their feature's policy, as in calls. */
export const clientEventRules = {
  'message:send': 'message.use',
  'message:delivered': 'message.use',
  'message:read': 'message.use',
  typing: 'message.use',
  visible: 'push.use',
} as const satisfies Record<keyof typeof clientEvents, Permission>;
export type ClientEvent = keyof typeof clientEvents;
export type ClientPayload<E extends ClientEvent> = z.output<(typeof clientEvents)[E]>;
