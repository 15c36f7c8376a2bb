import type { Core } from '@lightbox/core/core.js';
import type { EventDoc } from '@lightbox/core/models/event.js';

/** Old enough that most jobs are done, and short enough that a code is still good when its mail comes. */
const GRACE_MS = 15_000;
const BATCH = 200;

/** Enters the jobs again that Redis has lost. Which are not done is MongoDB's to know, and one that is still there stays one. */
export async function enterOwed(core: Core): Promise<void> {
  const before = new Date(core.clock.now().getTime() - GRACE_MS);
  const owing = { 'owed.0': { $exists: true }, owed: { $gt: '' }, pending: false, at: { $lt: before } };
  let batch: EventDoc[] = [];
  for await (const event of core.models.Event.find(owing).lean<EventDoc[]>().cursor({ batchSize: BATCH })) {
    batch.push(event);
    if (batch.length < BATCH) continue;
    await core.events.enterOwed(batch);
    batch = [];
  }
  await core.events.enterOwed(batch);
}
