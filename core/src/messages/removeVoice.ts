import { refuseHeld } from '../access/legalHolds.js';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Actor } from '../events/events.js';
import { leaveTombstones } from '../images/removeImage.js';
import type { VoiceDoc } from '../models/voice.js';

/** Removes a recording. Its message stays, and says that the recording was removed. */
export async function removeVoice(
  { models, events, clock }: Core,
  actor: Actor,
  id: ObjectId,
  reason: string,
): Promise<void> {
  await events.change(actor, async (tx) => {
    const { session } = tx;
    const removed = await models.Voice.findOneAndDelete({ _id: id }, { session }).lean<VoiceDoc>();
    if (!removed) return id;
    const { message, sender, recipient, blob } = removed;
    await refuseHeld(models, [sender, recipient], session);
    await models.Message.updateOne({ _id: message }, { $set: { 'voice.removed': true } }, { session });
    await leaveTombstones(models, [blob], clock.now(), session);
    tx.record({ type: 'voice.removed', record: id, owners: [sender], refs: { blob }, reason });
    return id;
  });
}
