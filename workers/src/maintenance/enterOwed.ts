import type { Core } from '@lightbox/core/core.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { inBatches } from './inBatches.js';

/** Long enough that most jobs are done, and short enough that a code is still valid when its mail arrives. */
const GRACE_MS = 15_000;
const BATCH = 200;

/** Enters the jobs again that Redis has lost. MongoDB stores the owed jobs, and a job that Redis still has is not entered twice. */
export async function enterOwed(core: Core): Promise<void> {
  const before = new Date(core.clock.now().getTime() - GRACE_MS);
  const owing = { 'owed.0': { $exists: true }, owed: { $gt: '' }, pending: false, at: { $lt: before } };
  const events = core.models.Event.find(owing).lean<EventDoc[]>().cursor({ batchSize: BATCH });
  for await (const batch of inBatches(events, BATCH)) await core.events.enterOwed(batch);
}
