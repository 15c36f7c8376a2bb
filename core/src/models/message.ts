import type { VoiceType } from '@lightbox/contract/messages/voiceTypes.js';
import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import { bool, date, type Id, id, Mixed, number, ObjectId, part, schemaOf, string } from './fields.js';

export interface MessageVoice {
  id: Id;
  contentType: VoiceType;
  seconds: number;
  /** True once the bytes were removed, with the account of the sender. */
  removed?: boolean;
}

export interface MessageDoc {
  _id: Id;
  conversation: string;
  seq: number;
  sender: Id;
  recipient: Id;
  members: Id[];
  content: string;
  /** The attached images, by id alone: each reader’s access to them is decided at each reading. */
  images?: Id[];
  /** The message of the same conversation that this one answers. */
  replyTo?: Id;
  /** The recording of a voice message, and what is shown of it before it is played (`voice.ts` has its key). */
  voice?: MessageVoice;
  /** The pinned place, as it was sent: each reader’s access to its image is decided at each reading. */
  view?: PinnedView;
  /** Chosen by the sender, so that a repeated sending is one message; `key:` with the `Idempotency-Key` of the request. */
  clientId?: string;
  /** The `clientId` as it was sent, where that is not in lower case. */
  sentId?: string;
  /** A keyed hash of the request of that key: the key is refused for another message. */
  request?: string;
  createAt: Date;
  deliveredAt?: Date;
  /** Absent while the message is unread. */
  readAt?: Date;
  /** Set when the reading was not reported to the sender. It stays so when receipts are turned on again. */
  readUnreported?: boolean;
  /** Time at which a reminder of this unread message was planned (`reminder.ts`). */
  remindedAt?: Date;
  /** True until the message was handed over to the gateways; a message is its own event. */
  pending: boolean;
}

export const message = schemaOf<MessageDoc>({
  conversation: string,
  seq: number,
  sender: id,
  recipient: id,
  members: { type: [ObjectId], required: true },
  content: { type: String, default: '' },
  images: { type: [ObjectId], default: undefined },
  replyTo: ObjectId,
  voice: part<MessageVoice>({ id, contentType: string, seconds: number, removed: Boolean }),
  view: Mixed,
  clientId: String,
  sentId: String,
  request: String,
  createAt: date,
  deliveredAt: Date,
  readAt: Date,
  readUnreported: Boolean,
  remindedAt: Date,
  pending: bool,
})
  .index({ conversation: 1, seq: -1 }, { unique: true })
  // Contains unread messages only, so that counting them is cheap.
  .index({ conversation: 1, recipient: 1, seq: 1 }, { partialFilterExpression: { readAt: null } })
  .index({ createAt: 1 }, { partialFilterExpression: { readAt: null, remindedAt: null } })
  .index({ members: 1, createAt: 1, _id: 1 })
  .index({ sender: 1, clientId: 1 }, { unique: true, partialFilterExpression: { clientId: { $exists: true } } })
  .index({ pending: 1, createAt: 1 }, { partialFilterExpression: { pending: true } });
