import { retentionOver } from '@lightbox/contract/audit/faults.js';
import { limits } from '@lightbox/contract/limits.js';
import { heldPatients } from '@lightbox/core/access/legalHolds.js';
import type { Core } from '@lightbox/core/core.js';
import { AppError } from '@lightbox/core/errors.js';
import { system } from '@lightbox/core/events/events.js';
import { removeImage } from '@lightbox/core/images/removeImage.js';
import { idBefore, removeMessages } from '@lightbox/core/messages/removeMessages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import { DAY_MS, HOUR_MS } from '@lightbox/core/times.js';
import { eachApart } from './eachApart.js';

/** Few at a time: each batch is a short transaction, and the calls of people go on between two of them. */
const IMAGES = 20;
const MESSAGES = 100;

/**
 * Returns the moment before which records are removed. Null while they are kept without end, and for a day after each
 * change of the setting, so that a mistake in typing can be corrected. Null also while MongoDB's clock and this machine's
 * disagree about the day: a deletion that follows from a wrong clock cannot be undone.
 */
async function endOf(
  { settings, models, clock, log }: Core,
  name: 'retention.imagesDays' | 'retention.messagesDays',
): Promise<Date | null> {
  const days = await settings.get(name);
  if (days === 0) return null;
  const aheadMs = clock.aheadOfMachine();
  if (Math.abs(aheadMs) > DAY_MS) {
    log.warn(
      { aheadMs },
      'nothing is removed by its age: the clocks of MongoDB and this machine differ by more than a day',
    );
    return null;
  }
  const now = clock.now().getTime();
  // Read after the value, which may be a second old: a change that the value lacks is seen here.
  const changed = (await models.Setting.findOne({ name }, { updatedAt: 1 }).lean())?.updatedAt;
  if (!changed || now - changed.getTime() < limits.retentionWaitsHours * HOUR_MS) return null;
  return new Date(now - days * DAY_MS);
}

/** A hold that was set a moment ago keeps the record. */
export function unlessHeld(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'LEGAL_HOLD')) throw error;
}

/**
 * Deletes images whose retention time is over, as their owner would, the oldest first, but for images of patients under
 * a legal hold. Files that a request holds end with the request. May be interrupted and repeated. Returns true when there
 * may be more.
 */
export async function removeOldImages(core: Core): Promise<boolean> {
  const before = await endOf(core, 'retention.imagesDays');
  if (!before) return false;
  const old = await core.models.Image.find(
    { createAt: { $lt: before }, patient: { $nin: await heldPatients(core.models) }, held: { $exists: false } },
    { _id: 1 },
  )
    .sort({ createAt: 1, _id: 1 })
    .limit(IMAGES)
    .lean();
  await eachApart(core, 'retention of Image', old, ({ _id }) =>
    removeImage(core, system, _id, retentionOver).catch(unlessHeld),
  );
  return old.length === IMAGES;
}

/**
 * Deletes messages whose retention time is over, with their recordings, but for messages from or to a patient under a
 * legal hold. May be interrupted and repeated. Returns true when there may be more.
 */
export async function removeOldMessages(core: Core): Promise<boolean> {
  const before = await endOf(core, 'retention.messagesDays');
  if (!before) return false;
  const old = await core.models.Message.find({
    // The order of ids is that of time, so that no further index is needed.
    _id: { $lt: idBefore(before) },
    createAt: { $lt: before },
    members: { $nin: await heldPatients(core.models) },
    pending: false,
  })
    .sort({ _id: 1 })
    .limit(MESSAGES)
    .lean<MessageDoc[]>();
  if (old.length > 0) await removeMessages(core, system, old, retentionOver).catch(unlessHeld);
  return old.length === MESSAGES;
}
