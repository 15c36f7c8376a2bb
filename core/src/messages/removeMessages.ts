import type { ClientSession } from 'mongoose';
import { refuseHeld } from '../access/legalHolds.js';
import type { Core } from '../core.js';
import { ObjectId } from '../db/ids.js';
import type { Actor } from '../events/events.js';
import { leaveTombstones } from '../images/removeImage.js';
import type { MessageDoc } from '../models/message.js';
import type { Models } from '../models/models.js';
import type { VoiceDoc } from '../models/voice.js';

/** Returns an id that is greater than those of all records from before this moment. */
export const idBefore = (moment: Date): ObjectId => ObjectId.createFromTime(Math.ceil(moment.getTime() / 1000));

/** Deletes messages with their recordings, with one event. Their conversations stay, and keep their numbering. */
export async function removeMessages(
  { models, events, clock }: Core,
  actor: Actor,
  messages: readonly Pick<MessageDoc, '_id' | 'conversation' | 'seq' | 'members' | 'voice'>[],
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
    await keepNumbering(models, messages, session);
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

/** The next message of a conversation must have a greater `seq` than the removed ones, also when none is left. */
async function keepNumbering(
  models: Models,
  messages: readonly Pick<MessageDoc, 'conversation' | 'seq'>[],
  session: ClientSession,
): Promise<void> {
  const last = new Map<string, number>();
  for (const { conversation, seq } of messages) last.set(conversation, Math.max(seq, last.get(conversation) ?? 0));
  const writes = [...last].map(([_id, seq]) => ({
    updateOne: { filter: { _id, seq: { $lt: seq } }, update: { $set: { seq } } },
  }));
  await models.Conversation.bulkWrite(writes, { session });
}
