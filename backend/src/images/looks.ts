import type { LookAction } from '@lightbox/contract/audit/actions.js';
import { sameLook } from '@lightbox/contract/audit/faults.js';
import { limits } from '@lightbox/contract/limits.js';
import { isDuplicate, type ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { onOne } from '@lightbox/core/db/onOne.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { LookDoc } from '@lightbox/core/models/look.js';
import type { Context, Gateway, Reader } from '../context.js';
import { readBy, type Seen } from './imageBytes.js';

type Reading = Pick<Context, 'gateway' | 'actor'> & { viewer: Reader };
/** The actions whose reads are counted: frames of an image or a study, ranges of an original. */
type Counted = Extract<LookAction, 'image.view' | 'image.content' | 'study.frames'>;

/** A look by an emergency access or as a carer is another look than one by a share: the log and the patient see both. */
const groundOf = ({ by }: Pick<Seen, 'by'>): string => (by ? `:${by}` : '');

const lookId = (viewer: Reader, type: Counted, record: ObjectId, seen: Pick<Seen, 'by'>): string =>
  `${viewer.sessionId}:${type}:${record}${groundOf(seen)}`;

const reader = ({ viewer, actor: { token } }: Reading) =>
  viewer.role === 'guest' ? { guestLink: viewer._id } : { user: viewer._id, ...(token ? { token } : {}) };

const lookOf = (reading: Reading, type: Counted, seen: Seen): Omit<LookDoc, 'reads'> => ({
  _id: lookId(reading.viewer, type, seen._id, seen),
  ...reader(reading),
  record: seen._id,
  owner: seen.owner,
  type,
  until: endOf(reading.gateway),
});
const endOf = ({ clock }: Gateway): Date => new Date(clock.now().getTime() + limits.lookMinutes * 60_000);

/**
 * Records a read of an image, a study or an analysis. The log contains each one. A repeat in the same session, as after
 * a reconnect or in a second tab, is marked as the same look: people who read who looked do not see it. `asked` is the
 * answer of `isSameLook`, for a look that rests on no emergency access and no carer.
 */
export async function recordLook(
  { gateway, viewer, actor }: Reading,
  type: LookAction,
  seen: Seen,
  { images = [], asked }: { images?: Pick<ImageDoc, '_id'>[]; asked?: Promise<boolean> } = {},
): Promise<void> {
  const { clock, events, looks } = gateway;
  const { _id: record, owner } = seen;
  const going = await ((!seen.by && asked) || isSameLook({ gateway, viewer }, type, record, seen));
  const read = readBy(viewer, type, seen);
  const records = [...(read.records ?? []), ...images.map((image) => image._id)];
  await events.record(actor, {
    ...read,
    ...(records.length > 0 ? { records } : {}),
    ...(going ? { reason: sameLook } : {}),
  });
  // After the entry: a look whose entry could not be written is not the first one. The answer does not wait for it.
  const _id = sameLookId(viewer, type, record, seen);
  const until = new Date(clock.now().getTime() + limits.sameLookMinutes * 60_000);
  if (until.getTime() - (looks.get(_id) ?? 0) < LOOK_STEP_MS) return;
  looks.set(_id, until.getTime());
  gateway

    .writeLook({ _id, ...reader({ gateway, viewer, actor }), record, owner, type, reads: 0, until })
    .catch((error) => gateway.warn(error, 'a look was not kept; its repeat may be listed as another look'));
}

/** The end of a look is written again when it has moved by this much. */
const LOOK_STEP_MS = 60_000;

const sameLookId = (viewer: Reader, type: LookAction, record: ObjectId, seen: Pick<Seen, 'by'>): string =>
  `${viewer.sessionId}:look:${type}:${record}${groundOf(seen)}`;

/**
 * True when the session has read the record in the last half hour, by the same ground. Ask it together with the decision
 * about access, of which nearly all rest on no emergency access and no carer.
 */
export async function isSameLook(
  { gateway, viewer }: Omit<Reading, 'actor'>,
  type: LookAction,
  record: ObjectId,
  seen: Pick<Seen, 'by'> = {},
): Promise<boolean> {
  const { models, clock, looks } = gateway;
  const _id = sameLookId(viewer, type, record, seen);
  const now = clock.now();
  if ((looks.get(_id) ?? 0) > now.getTime()) return true;
  return (await models.Look.exists({ _id, until: { $gt: now } }).readConcern(NEWEST)) !== null;
}

/** Records that somebody left an image that they looked at with others. It belongs to the look that began with it. */
export const recordLeaving = ({ gateway, viewer, actor }: Reading, image: Seen): Promise<void> =>
  gateway.events.record(actor, { ...readBy(viewer, 'image.view', image), reason: sameLook });

/** Records the opening of an image. The frames that this session reads from then on are counted. */
export async function openLook(reading: Reading, image: Seen): Promise<void> {
  await recordLook(reading, 'image.view', image);
  await keepLook(reading, 'image.view', image);
}

/**
 * Records the opening of a study, as one entry that lists its images. The frames of all of them are counted together.
 * While images are not drawn, the viewer asks again: these calls continue the look, and enter nothing unless the study
 * has other images since.
 */
export async function openStudyLook(
  reading: Reading,
  study: Seen,
  images: Pick<ImageDoc, '_id'>[],
  { isComplete }: { isComplete: boolean },
): Promise<void> {
  const { gateway, viewer } = reading;
  const going = await gateway.models.Look.findById(lookId(viewer, 'study.frames', study._id, study))
    .readConcern(NEWEST)
    .lean<LookDoc>();
  if (going?.incomplete !== images.length) {
    await recordLook(reading, 'study.frames', study, { images });
  }
  await keepLook(reading, 'study.frames', study, isComplete ? undefined : images.length);
}

async function keepLook(reading: Reading, type: Counted, seen: Seen, incomplete?: number): Promise<void> {
  const { _id, until, ...rest } = lookOf(reading, type, seen);
  const state =
    incomplete === undefined ? { $set: { until }, $unset: { incomplete: 1 } } : { $set: { until, incomplete } };
  await reading.gateway.models.Look.updateOne(
    { _id },
    { ...state, $setOnInsert: { ...rest, reads: 0 } },
    { upsert: true, ...onOne },
  );
}

/** Counts a read of a part of the image. A read without a look before it is an entry in the audit log, and a look. */
export async function countRead(
  reading: Reading,
  type: Exclude<Counted, 'study.frames'>,
  image: ImageDoc & Seen,
): Promise<void> {
  if (await countInLook(reading, type, image)) return;
  const { gateway, actor, viewer } = reading;
  try {
    await gateway.events.change(actor, async (tx) => {
      await gateway.models.Look.create([{ ...lookOf(reading, type, image), reads: 1 }], { session: tx.session });
      tx.record(readBy(viewer, type, image));
      return image._id;
    });
  } catch (error) {
    // Another part of the same image was read at the same time.
    if (!isDuplicate(error)) throw error;
    await countInLook(reading, type, image);
  }
}

/** False when neither the image nor its study was opened in this session. */
async function countInLook({ gateway, viewer }: Reading, type: Counted, image: ImageDoc & Seen): Promise<boolean> {
  const { _id, study } = image;
  const ids = [
    lookId(viewer, type, _id, image),
    ...(study && type === 'image.view' ? [lookId(viewer, 'study.frames', study, image)] : []),
  ];
  return gateway.countFrames(ids);
}
