import { refuseHeld } from '../access/legalHolds.js';
import type { Core } from '../core.js';
import { ObjectId } from '../db/ids.js';
import type { Actor } from '../events/events.js';
import { leaveTombstones } from '../images/removeImage.js';
import type { MessageDoc } from '../models/message.js';
import type { VoiceDoc } from '../models/voice.js';

/** Returns an id that is greater than those of all records from before this moment. */
export const idBefore = (moment: Date): ObjectId => ObjectId.createFromTime(Math.ceil(moment.getTime() / 1000));

/** Deletes messages with their recordings, with one event. Their conversations stay, and keep their numbering. */
export async function removeMessages(
  { models, events, clock }: Core,
  actor: Actor,
  messages: readonly Pick<MessageDoc, '_id' | 'members' | 'voice'>[],
  reason: string,
): Promise<void> {
  const [first] = messages;
  if (!first) return;
  await events.change(actor, async (tx) => {
    const { session } = tx;
    await refuseHeld(
      models,
      messages.flatMap(({ members }) => members),
      session,
    );
    const ids = messages.map(({ _id }) => _id);
    const { deletedCount } = await models.Message.deleteMany({ _id: { $in: ids } }, { session });
    // Another worker has just removed them.
    if (deletedCount === 0) return first._id;
    const recordings = messages.flatMap(({ voice }) => (voice ? [voice.id] : []));
    const voices = await models.Voice.find({ _id: { $in: recordings } }, { blob: 1 }, { session }).lean<VoiceDoc[]>();
    await models.Voice.deleteMany({ _id: { $in: recordings } }, { session });
    await leaveTombstones(
      models,
      voices.map(({ blob }) => blob),
      clock.now(),
      session,
    );
    tx.record({ type: 'message.expired', records: ids, reason });
    return first._id;
  });
}
