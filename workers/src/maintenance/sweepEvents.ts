import { auditActionNames } from '@lightbox/contract/audit/actions.js';
import { appendAndTell } from '@lightbox/core/audit/append.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { dispatchMessages } from '@lightbox/core/messages/messages.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { Model, QueryFilter } from 'mongoose';

/** Time for the process that wrote the event to hand it over itself. */
const GRACE_MS = 700;
const AUDIT_GRACE_MS = 5_000;
const BATCH = 200;

/**
 * Hands over messages and events that are still pending because their process died or Redis was away. Several workers may
 * do this at once: every consumer accepts duplicates.
 */
export async function sweepEvents(core: Core): Promise<void> {
  const before = new Date(core.clock.now().getTime() - GRACE_MS);
  const messages = await core.models.Message.find({ pending: true, createAt: { $lt: before } })
    .sort({ createAt: 1 })
    .limit(BATCH)
    .lean<MessageDoc[]>();
  const left = await stillPending(core.models.Message, messages);
  if (left.length > 0) await dispatchMessages(core, left);
  // An event of a newer version waits for a process of that version.
  const events = await core.models.Event.find({ pending: true, at: { $lt: before }, type: { $in: auditActionNames } })
    .sort({ at: 1 })
    .limit(BATCH)
    .lean<EventDoc[]>();
  const due = await stillPending(core.models.Event, events);
  if (due.length > 0) await handOver(core, due);
}

/**
 * Reads the newest state from the primary. The majority read that found these records may not contain the hand-over yet:
 * without this check everything would be handed over twice while the majority is slow.
 */
async function stillPending<T extends EventDoc | MessageDoc>(model: Model<T>, found: T[]): Promise<T[]> {
  if (found.length === 0) return [];
  const pending = { _id: { $in: found.map(({ _id }) => _id) }, pending: true } as QueryFilter<T>;
  const ids = new Set(
    (await model.find(pending, { _id: 1 }).readConcern(NEWEST).lean<{ _id: ObjectId }[]>()).map(({ _id }) =>
      String(_id),
    ),
  );
  return found.filter(({ _id }) => ids.has(String(_id)));
}

/** Hands the events over. An event that cannot be handed over does not block the others. */
async function handOver(core: Core, events: EventDoc[]): Promise<void> {
  try {
    await core.events.dispatch(events);
  } catch (error) {
    if (isAway(error) || events.length === 1) throw error;
    for (const event of events) {
      await handOver(core, [event]).catch((fault) => core.warn(fault, 'an event cannot be handed over'));
    }
  }
}

/** Appends events to the audit log whose job was lost or could not be entered, and the receipts of processes. */
export async function sweepAudit(core: Core): Promise<void> {
  const { Event, AuditReceipt } = core.models;
  const before = new Date(core.clock.now().getTime() - AUDIT_GRACE_MS);
  if ((await AuditReceipt.exists({})) || (await Event.exists({ unaudited: true, at: { $lt: before } }))) {
    await appendAndTell(core);
  }
}
