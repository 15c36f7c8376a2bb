import type { PushKind } from '@lightbox/contract/push/calls.js';
import { date, days, type Id, id, schemaOf, string } from './fields.js';

export const reminderChannels = ['device', 'mail'] as const;
export type ReminderChannel = (typeof reminderChannels)[number];

/** `event`: the notice is not in the notification centre, because the person turned that off. */
export const reminderSubjects = ['notification', 'event', 'message'] as const;
export type ReminderSubject = (typeof reminderSubjects)[number];

/** A notice that goes to a person's devices or by mail later, together with others, if it is unread then. */
export interface ReminderDoc {
  _id: Id;
  user: Id;
  channel: ReminderChannel;
  kind: PushKind;
  about: ReminderSubject;
  record: Id;
  at: Date;
  /** Absent once it was sent, was refused at the last attempt, or needs not be sent any more. The document stays, so that a repeated job plans no second one. */
  dueAt?: Date;
  /** Time of the mail or push that it was part of. */
  sentAt?: Date;
}

export const reminder = schemaOf<ReminderDoc>({
  user: id,
  channel: string,
  kind: string,
  about: string,
  record: id,
  at: date,
  dueAt: Date,
  sentAt: Date,
})
  .index({ user: 1, channel: 1, record: 1 }, { unique: true })
  .index({ dueAt: 1 }, { sparse: true })
  .index({ at: 1 }, { expireAfterSeconds: days(7) });
