import { appendAndTell } from '@lightbox/core/audit/append.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { dispatchMessages } from '@lightbox/core/messages.js';
import type { EventDoc, MessageDoc } from '@lightbox/core/models/types.js';

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
  if (messages.length > 0) await dispatchMessages(core, messages);
  const events = await core.models.Event.find({ pending: true, at: { $lt: before } })
    .sort({ at: 1 })
    .limit(BATCH)
    .lean<EventDoc[]>();
  if (events.length > 0) await handOver(core, events);
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
