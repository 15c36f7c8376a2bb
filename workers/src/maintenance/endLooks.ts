import type { Core } from '@lightbox/core/core.js';
import { system } from '@lightbox/core/events/events.js';
import type { LookDoc } from '@lightbox/core/models/look.js';
import { eachApart } from './eachApart.js';

const BATCH = 100;

/** Puts the count of each look that is over into the audit log, and forgets the look. */
export async function endLooks(core: Core): Promise<boolean> {
  const over = await core.models.Look.find({ until: { $lte: core.clock.now() } })
    .limit(BATCH)
    .lean<LookDoc[]>();
  await eachApart(core, 'end of Look', over, (look) => endLook(core, look));
  return over.length === BATCH;
}

/** Both in one transaction, so that each look is counted once. A look that was renewed in the meantime stays. */
async function endLook({ models, clock, events }: Core, { _id, record }: LookDoc): Promise<void> {
  await events.change(system, async (tx) => {
    const over = { _id, until: { $lte: clock.now() } };
    const ended = await models.Look.findOneAndDelete(over, { session: tx.session }).lean<LookDoc>();
    if (ended && ended.reads > 0) {
      const { type, user, token, guestLink, owner, reads } = ended;
      const facts = { record, owners: [owner], reason: String(reads) };
      if (guestLink) tx.record({ type: 'guest.viewEnded', ...facts, records: [guestLink] });
      else {
        tx.record({
          type: type === 'study.frames' ? 'study.viewEnd' : 'image.viewEnd',
          ...(user ? { actor: user } : {}),
          ...(token ? { token } : {}),
          ...facts,
        });
      }
    }
    return record;
  });
}
