import type { ClientSession } from 'mongoose';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Actor } from '../events/events.js';
import type { DrawingDoc } from '../models/drawing.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';

interface Removal {
  models: Models;
  image: ImageDoc;
  now: Date;
  session: ClientSession;
}

const leaveTombstone = (models: Models, blob: ObjectId, at: Date, session: ClientSession): Promise<unknown> =>
  models.Tombstone.updateOne({ _id: blob }, { $setOnInsert: { at } }, { session, upsert: true }).exec();

/**
 * One function for each model: it removes or ends the records of an image, in the image's transaction. Null: the
 * records stay, or do not belong to an image. A new model needs a row here.
 */
const endWithImage: Record<keyof Models, ((removal: Removal) => Promise<unknown>) | null> = {
  User: null,
  Session: null,
  Code: null,
  Image: null,
  Preview: ({ models, image, session }) => models.Preview.deleteOne({ _id: image._id }, { session }).exec(),
  Drawing: async ({ models, image, now, session }) => {
    const removed = await models.Drawing.findOneAndDelete(
      { _id: image._id },
      { session, projection: { plain: 1 } },
    ).lean<Pick<DrawingDoc, 'plain'>>();
    if (removed?.plain) await leaveTombstone(models, removed.plain.blob, now, session);
  },
  Tombstone: ({ models, image, now, session }) => leaveTombstone(models, image.blob, now, session),
  Rendering: ({ models, image, session }) => models.Rendering.deleteMany({ image: image._id }, { session }).exec(),
  // A look ends by itself, so that its count is in the log.
  Look: null,
  Position: null,
  Share: ({ models, image, now, session }) =>
    models.Share.updateMany(
      { image: image._id, live: true },
      { $set: { live: false, endedAt: now } },
      { session },
    ).exec(),
  Analysis: ({ models, image, session }) => models.Analysis.deleteOne({ _id: image._id }, { session }).exec(),
  Conversation: null,
  Message: null,
  Notification: null,
  PushSubscription: null,
  Event: null,
  AuditEntry: null,
  AuditHead: null,
  AuditReceipt: null,
  AuditRun: null,
  Setting: null,
  SettingChange: null,
  Idempotency: null,
  Counter: null,
  Usage: null,
  SentMail: null,
  Task: null,
  Totp: null,
  Passkey: null,
  Ceremony: null,
  UsernameHold: null,
  Decoy: null,
};

/**
 * Deletes the record of an image with everything that belongs to it. From then on nobody can reach the bytes: a worker
 * removes them, and a tombstone lists them until they are gone.
 */
export async function removeImage(core: Core, actor: Actor, id: ObjectId, reason: string): Promise<void> {
  const { models, clock, usage } = core;
  let removed: ImageDoc | null = null;
  await core.events.change(actor, async (tx) => {
    const session = tx.session;
    const now = clock.now();
    // Owner and audience may have changed since the caller read the image.
    removed = await models.Image.findOneAndDelete({ _id: id }, { session }).lean<ImageDoc>();
    if (!removed) return id;
    const { blob, owner, audience } = removed;
    for (const end of Object.values(endWithImage)) await end?.({ models, image: removed, now, session });
    tx.record({
      type: 'image.delete',
      record: id,
      owners: [owner],
      recipients: [...audience, owner],
      refs: { blob },
      reason,
    });
    return id;
  });
  const gone = removed as ImageDoc | null;
  if (gone) await usage.giveBack(gone.owner, gone.size);
}

/** Removes the bytes of a deleted image, and then its tombstone. May be repeated. */
export async function removeBytes({ blobs, models }: Core, blob: ObjectId): Promise<void> {
  await blobs.delete(blob);
  await models.Tombstone.deleteOne({ _id: blob });
}
