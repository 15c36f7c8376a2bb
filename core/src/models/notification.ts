import type { NotificationKind } from '@lightbox/contract/audit/actions.js';
import { limits } from '@lightbox/contract/limits.js';
import { bool, date, days, type Id, id, ObjectId, schemaOf, string } from './fields.js';

export interface NotificationDoc {
  _id: Id;
  user: Id;
  event: Id;
  kind: NotificationKind;
  record?: Id;
  /** The person who acted; absent when the product itself did. */
  actor?: Id;
  /** The share that the notice is about. */
  share?: Id;
  /** The study that the notice is about; `record` is then the image that stood for it. */
  study?: Id;
  at: Date;
  readAt?: Date;
  /** For lists of unread notices: an index on an absent field would not serve them. */
  unread: boolean;
}

export const notification = schemaOf<NotificationDoc>({
  user: id,
  event: id,
  kind: string,
  record: ObjectId,
  actor: ObjectId,
  share: ObjectId,
  study: ObjectId,
  at: date,
  readAt: Date,
  unread: bool,
})
  .index({ event: 1, user: 1 }, { unique: true })
  .index({ user: 1, at: -1, _id: -1 })
  .index({ user: 1, unread: 1, at: -1, _id: -1 })
  // The unread notices of a record: they are read once the record is settled.
  .index({ record: 1 }, { partialFilterExpression: { unread: true } })
  .index({ share: 1 }, { partialFilterExpression: { unread: true } })
  .index({ at: 1 }, { expireAfterSeconds: days(limits.noticeKeptDays) });
