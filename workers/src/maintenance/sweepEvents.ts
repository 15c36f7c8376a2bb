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

/** Old enough that whoever wrote it has had the time to hand it over, milliseconds. */
const GRACE_MS = 700;
const AUDIT_GRACE_MS = 5_000;
const BATCH = 200;

/**
 * Hands over what a process wrote and then could not: it died, or Redis was away. Several workers may do so at once;
 * everything downstream bears it.
 */
export async function sweepEvents(core: Core): Promise<void> {
  const before = new Date(core.clock.now().getTime() - GRACE_MS);
  const messages = await core.models.Message.find({ pending: true, createAt: { $lt: before } })
    .sort({ createAt: 1 })
    .limit(BATCH)
    .lean<MessageDoc[]>();
  const left = await stillPending(core.models.Message, messages);
  if (left.length > 0) await dispatchMessages(core, left);
  // An event that only a newer version makes waits for a process of that version.
  const events = await core.models.Event.find({ pending: true, at: { $lt: before }, type: { $in: auditActionNames } })
    .sort({ at: 1 })
    .limit(BATCH)
    .lean<EventDoc[]>();
  const due = await stillPending(core.models.Event, events);
  if (due.length > 0) await handOver(core, due);
}

/**
 * A majority has them, and so they may be shown; that they were handed over meanwhile it may not have yet. While a majority
 * is slow, everything would be handed over twice.
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

/** An event that cannot be handed over, now or ever, keeps no other one waiting. */
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

/** Entries whose kick was lost, or came while Redis was away, and what processes state that they committed. */
export async function sweepAudit(core: Core): Promise<void> {
  const { Event, AuditReceipt } = core.models;
  const before = new Date(core.clock.now().getTime() - AUDIT_GRACE_MS);
  if ((await AuditReceipt.exists({})) || (await Event.exists({ unaudited: true, at: { $lt: before } }))) {
    await appendAndTell(core);
  }
}
