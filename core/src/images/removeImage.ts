import type { ClientSession, QueryFilter } from 'mongoose';
import { seenBy } from '../access/grounds.js';
import { refuseHeld } from '../access/legalHolds.js';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Actor, Transaction } from '../events/events.js';
import type { BlackOutDoc } from '../models/blackOut.js';
import type { DrawingDoc } from '../models/drawing.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { TombstoneDoc } from '../models/tombstone.js';
import { leaveStudy } from '../studies/leaveStudy.js';

interface Removal {
  models: Models;
  images: readonly ImageDoc[];
  /** Their ids, as a filter. */
  ids: { $in: ObjectId[] };
  now: Date;
  session: ClientSession;
}

/** Lists blobs whose bytes are to be removed. */
export async function leaveTombstones(
  models: Models,
  blobs: readonly ObjectId[],
  at: Date,
  session: ClientSession | null,
  facts: Pick<TombstoneDoc, 'unowned'> = {},
): Promise<void> {
  if (blobs.length === 0) return;
  const writes = blobs.map((_id) => ({
    updateOne: { filter: { _id }, update: { $setOnInsert: { at, ...facts } }, upsert: true },
  }));
  await models.Tombstone.bulkWrite(writes, session ? { session } : {});
}

/**
 * One function for each model: it removes or ends the records of images, in the transaction that deletes the images.
 * Null: the records stay, or do not belong to an image. A new model needs a row here.
 */
const endWithImages: Record<keyof Models, ((removal: Removal) => Promise<unknown>) | null> = {
  User: null,
  Session: null,
  DicomNode: null,
  Code: null,
  Image: null,
  Card: ({ models, ids, session }) => models.Card.deleteMany({ image: ids }, { session }).exec(),
  Preview: ({ models, ids, session }) => models.Preview.deleteMany({ _id: ids }, { session }).exec(),
  Drawing: async ({ models, ids, now, session }) => {
    const drawings = await models.Drawing.find({ _id: ids }, { plain: 1 }, { session }).lean<
      Pick<DrawingDoc, 'plain'>[]
    >();
    await models.Drawing.deleteMany({ _id: ids }, { session });
    const blobs = drawings.flatMap(({ plain }) => (plain ? [plain.blob] : []));
    await leaveTombstones(models, blobs, now, session);
  },
  Rendering: ({ models, ids, session }) => models.Rendering.deleteMany({ image: ids }, { session }).exec(),
  BlackOut: async ({ models, ids, now, session }) => {
    const wishes = await models.BlackOut.find({ image: ids }, { made: 1 }, { session }).lean<
      Pick<BlackOutDoc, 'made'>[]
    >();
    await models.BlackOut.deleteMany({ image: ids }, { session });
    const blobs = wishes.flatMap(({ made }) => (made ? [made.blob] : []));
    await leaveTombstones(models, blobs, now, session);
  },
  // A look ends by itself, so that its count is in the log.
  Look: null,
  Tombstone: ({ models, images, now, session }) =>
    leaveTombstones(
      models,
      images.map(({ blob }) => blob),
      now,
      session,
    ),
  Position: null,
  // Shares of a study end with the study.
  Share: ({ models, ids, now, session }) =>
    models.Share.updateMany(
      { image: ids, study: { $exists: false }, live: true },
      { $set: { live: false, endedAt: now } },
      { session },
    ).exec(),
  // Invitations to a study end with the study.
  Invite: ({ models, ids, session }) => models.Invite.deleteMany({ image: ids }, { session }).exec(),
  // Links of a study end with the study.
  GuestLink: ({ models, ids, now, session }) =>
    models.GuestLink.updateMany(
      { image: ids, study: { $exists: false }, live: true },
      { $set: { live: false, endedAt: now } },
      { session },
    ).exec(),
  // While a request takes files, it gets back the place of each. One that has ended keeps the count of its files.
  ImageRequest: async ({ models, images, session }) => {
    const held = images.filter((image) => image.held);
    // They are one image, or those of one study.
    const request = held[0]?.held?.request;
    if (!request) return;
    const bytes = held.reduce((sum, { size }) => sum + size, 0);
    const freed = { $inc: { files: -held.length, bytes: -bytes } };
    await models.ImageRequest.updateOne({ _id: request, state: 'waiting' }, freed, { session });
  },
  Emergency: null,
  LegalHold: null,
  Carer: null,
  Photo: null,
  Study: null,
  Analysis: ({ models, ids, session }) => models.Analysis.deleteMany({ _id: ids }, { session }).exec(),
  AnalysisVersion: ({ models, ids, session }) => models.AnalysisVersion.deleteMany({ image: ids }, { session }).exec(),
  Report: ({ models, ids, session }) => models.Report.deleteMany({ image: ids }, { session }).exec(),
  Annotation: ({ models, ids, session }) => models.Annotation.deleteMany({ image: ids }, { session }).exec(),
  Consent: null,
  Conversation: null,
  Message: null,
  Voice: null,
  Notification: null,
  PushSubscription: null,
  Webhook: null,
  // It has ids alone, and is withheld when its record is gone.
  WebhookDelivery: null,
  // The notice or message of a reminder is read again before it is sent.
  Reminder: null,
  Event: null,
  AuditEntry: null,
  AuditHead: null,
  AuditReceipt: null,
  AuditRun: null,
  Setting: null,
  SettingChange: null,
  Idempotency: null,
  Counter: null,
  // The bytes are those of the image, and its tombstone lists them.
  Upload: ({ models, ids, session }) => models.Upload.deleteMany({ _id: ids }, { session }).exec(),
  Usage: null,
  SentMail: null,
  Task: null,
  Operation: null,
  Secret: null,
  Totp: null,
  Passkey: null,
  Ceremony: null,
  Identity: null,
  ScimToken: null,
  ScimAccount: null,
  UsernameHold: null,
  Decoy: null,
};

/** Removes or ends everything that belongs to images whose records are deleted. Part of the caller's transaction. */
export async function endWith(core: Core, tx: Transaction, images: readonly ImageDoc[]): Promise<void> {
  const { models, clock } = core;
  const ids = { $in: images.map(({ _id }) => _id) };
  for (const end of Object.values(endWithImages)) {
    await end?.({ models, images, ids, now: clock.now(), session: tx.session });
  }
}

/**
 * Deletes the record of an image with everything that belongs to it. From then on nobody can reach the bytes: a worker
 * removes them, and a tombstone lists them until they are gone. The study of its last image is deleted too. `only` narrows
 * it to an image that still matches: between its choice and its deletion it may have become somebody's.
 */
export async function removeImage(
  core: Core,
  actor: Actor,
  id: ObjectId,
  reason: string,
  only: QueryFilter<ImageDoc> = {},
): Promise<void> {
  const { models, usage } = core;
  let removed: ImageDoc | null = null;
  await core.events.change(actor, async (tx) => {
    const session = tx.session;
    // Owner and audience may have changed since the caller read the image.
    removed = await models.Image.findOneAndDelete({ ...only, _id: id }, { session }).lean<ImageDoc>();
    if (!removed) return id;
    const { blob, owner, patient, audience, study } = removed;
    await refuseHeld(models, [patient], session);
    await endWith(core, tx, [removed]);
    if (study) await leaveStudy(core, tx, removed, study);
    tx.record({
      type: 'image.delete',
      record: id,
      owners: [owner],
      recipients: await seenBy(core, removed, audience, session),
      refs: { blob, ...(study ? { study } : {}) },
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
