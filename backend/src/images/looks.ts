import { limits } from '@lightbox/contract/limits.js';
import { isDuplicate } from '@lightbox/core/db/ids.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { LookDoc } from '@lightbox/core/models/look.js';
import type { Context, Gateway, Viewer } from '../context.js';
import { recordRead } from './imageBytes.js';

type Reading = Pick<Context, 'gateway' | 'actor'> & { viewer: Viewer };
type Counted = 'image.view' | 'image.content';

const lookId = (viewer: Viewer, type: Counted, image: ImageDoc): string => `${viewer.sessionId}:${type}:${image._id}`;

const lookOf = ({ gateway, viewer }: Reading, type: Counted, image: ImageDoc): Omit<LookDoc, 'reads'> => ({
  _id: lookId(viewer, type, image),
  user: viewer._id,
  record: image._id,
  owner: image.owner,
  type,
  until: endOf(gateway),
});
const endOf = ({ clock }: Gateway): Date => new Date(clock.now().getTime() + limits.lookMinutes * 60_000);

// A count that a failover loses is one entry in the log more, or a smaller count.
const onOne = { writeConcern: { w: 1 } } as const;

/** Records the opening of an image. The frames that this session reads from then on are counted. */
export async function openLook(reading: Reading, image: ImageDoc): Promise<void> {
  const { _id, until, ...rest } = lookOf(reading, 'image.view', image);
  await recordRead(reading, 'image.view', image);
  await reading.gateway.models.Look.updateOne(
    { _id },
    { $set: { until }, $setOnInsert: { ...rest, reads: 0 } },
    { upsert: true, ...onOne },
  );
}

/** Counts a read of a part of the image. A read without a look before it is an entry in the audit log, and a look. */
export async function countRead(reading: Reading, type: Counted, image: ImageDoc): Promise<void> {
  if (await countInLook(reading, type, image)) return;
  const { gateway, actor } = reading;
  try {
    await gateway.events.change(actor, async (tx) => {
      await gateway.models.Look.create([{ ...lookOf(reading, type, image), reads: 1 }], { session: tx.session });
      tx.record({ type, record: image._id, owners: [image.owner] });
      return image._id;
    });
  } catch (error) {
    // Another part of the same image was read at the same time.
    if (!isDuplicate(error)) throw error;
    await countInLook(reading, type, image);
  }
}

async function countInLook({ gateway, viewer }: Reading, type: Counted, image: ImageDoc): Promise<boolean> {
  const { matchedCount } = await gateway.models.Look.updateOne(
    { _id: lookId(viewer, type, image) },
    { $inc: { reads: 1 } },
    onOne,
  );
  return matchedCount > 0;
}
