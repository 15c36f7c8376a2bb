import type { Core } from '../core.js';
import { isDuplicate } from '../db/ids.js';
import type { ReminderDoc } from '../models/reminder.js';

export type PlannedReminder = Omit<ReminderDoc, '_id' | 'at' | 'sentAt'> & { dueAt: Date };

/** Plans that a notice is pushed or mailed later. It may be repeated: there is one reminder of a record and channel. */
export async function planReminder({ models, clock }: Core, { dueAt, ...reminder }: PlannedReminder): Promise<void> {
  const { user, channel, record } = reminder;
  const planned = { kind: reminder.kind, about: reminder.about, at: clock.now(), dueAt };
  try {
    await models.Reminder.updateOne({ user, channel, record }, { $setOnInsert: planned }, { upsert: true });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}
