import { liesIn } from '@lightbox/contract/images/blackOut.js';
import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { isDuplicate, newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { canDeidentify, copyOf } from '@lightbox/core/deidentify/copy.js';
import { AppError, fieldError, unlessDamaged } from '@lightbox/core/errors.js';
import { blackOutContext, blackOutId } from '@lightbox/core/images/blackOuts.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { BlackOutDoc } from '@lightbox/core/models/blackOut.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Answer, Context, Gateway } from '../context.js';
import { asRefusal } from './admitImage.js';
import { drawings, pending, until, untilDrawn } from './drawings.js';
import { quotaOf, recordImage, storeFile } from './storeImage.js';
import { presentNew } from './uploadImage.js';

type Call = typeof imageCalls.blackOut;
type Made = BlackOutDoc & Required<Pick<BlackOutDoc, 'made'>>;

/**
 * Makes a new image of the caller: a copy without identity in which rectangles are black. A worker makes its bytes, and they
 * are taken in and checked like those of an upload. The original is only read.
 */
export async function blackOut(context: Context<Call>): Promise<Answer<Image>> {
  const { gateway, viewer, params, actor } = context;
  const { image } = await requireImage(gateway.models, viewer, params.id, 'share', gateway.clock.now());
  const earlier = await gateway.events.earlier(actor);
  const id = earlier ?? (await copy(context, image));
  return { data: await presentNew(gateway, viewer, id), message: texts.imageUploaded };
}

async function copy(context: Context<Call>, image: ImageDoc): Promise<ObjectId> {
  const { gateway, viewer } = context;
  if (!canDeidentify(image.contentType)) throw new AppError('CANNOT_BLACK_OUT');
  if (await gateway.usage.isFull(viewer._id, await quotaOf(gateway))) throw new AppError('QUOTA_REACHED');
  await requireInside(context, image);
  // A header that cannot be followed is refused before a worker reads the pixels.
  await copyOf(gateway, image, String(image._id));
  const wish = await ask(context, image);
  // The access may have ended while a worker was busy.
  await requireImage(gateway.models, viewer, String(image._id), 'share', gateway.clock.now());
  if (await gateway.models.Image.exists({ _id: wish.copyId }).readConcern(NEWEST)) return wish.copyId;
  if (wish.failed) throw new AppError('CANNOT_BLACK_OUT');
  if (!wish.made) throw pending();
  return takeIn(context, image, { ...wish, made: wish.made });
}

/** Throws for a file without a picture, and for rectangles that do not lie in it. */
async function requireInside({ gateway, body, req }: Context<Call>, image: ImageDoc): Promise<void> {
  const doc = (await drawings.read(gateway, image._id)) ?? (await drawnNow());
  const made = unlessDamaged(gateway.log, () => drawings.open(gateway, image, doc));
  const { kind, rows, columns, frames } = made?.drawing.facts ?? {};
  if ((kind !== 'dicom' && kind !== 'picture') || !rows || !columns || !frames) throw new AppError('CANNOT_BLACK_OUT');
  const outside = body.rectangles.findIndex((one) => !liesIn(one, { rows, columns, frames }));
  if (outside >= 0) throw fieldError(`rectangles.${outside}`, 'Must lie in the picture.');

  async function drawnNow() {
    if (!(await untilDrawn(gateway, image, req))) throw pending();
    const found = await drawings.read(gateway, image._id);
    if (!found) throw pending();
    return found;
  }
}

/** Asks a worker for the bytes, and waits for them. The same wish within ten minutes has one copy. */
async function ask({ gateway, viewer, req, body }: Context<Call>, image: ImageDoc): Promise<BlackOutDoc> {
  const { models, queues, keys, clock } = gateway;
  const _id = blackOutId(keys.images, image._id, viewer._id, body);
  const find = async () => {
    const found = await models.BlackOut.findById(_id).readConcern(NEWEST).lean<BlackOutDoc>();
    return found?.made || found?.failed ? found : null;
  };
  const before = await find();
  if (before?.made && (await models.Image.exists({ _id: before.copyId }))) return before;
  // Its bytes were taken in by a copy that is deleted, or were lost.
  if (before?.made && !(await hasBytes(gateway, before.made.blob))) await models.BlackOut.deleteOne({ _id });
  else if (before) return before;
  const { rectangles, noTextLeft } = body;
  const wish = { _id, image: image._id, copyId: newId(clock.now()), rectangles, noTextLeft, createAt: clock.now() };
  await models.BlackOut.create([wish]).catch((error) => {
    if (!isDuplicate(error)) throw error;
  });
  await queues.add([{ name: 'blackOut', data: { blackOutId: String(_id) }, once: `black-${_id}` }]);
  const done = await until(gateway, req, limits.blackOutSeconds, find);
  if (!done) throw pending();
  return done;
}

const hasBytes = async ({ blobs }: Gateway, blob: ObjectId): Promise<boolean> => (await blobs.countChunks(blob)) > 0;

/** Takes the bytes in like those of an upload, and removes the worker's. */
async function takeIn({ gateway, actor, viewer, body }: Context<Call>, image: ImageDoc, wish: Made): Promise<ObjectId> {
  const { models, blobs, keys } = gateway;
  const { blob, size, key: sealed } = wish.made;
  const maxBytes = await gateway.settings.get('upload.maxBytes');
  if (size > maxBytes) throw new AppError('FILE_TOO_LARGE', { message: texts.fileSize(maxBytes) });
  const giveBack = await gateway.diskReserve.take(size);
  if (!giveBack) throw new AppError('STORAGE_FULL');
  try {
    const key = open(
      unwrapDataKey(keys.images, String(image._id), image.dataKey),
      blackOutContext(wish),
      bufferOf(sealed),
    );
    const file = { stream: blobs.read(blob, key, size), declaredType: undefined, filename: undefined };
    const stored = await storeFile(gateway, wish.copyId, file, maxBytes);
    try {
      const fields = { owner: viewer._id, caption: body.caption, blackedOutOf: image._id };
      const none = { patient: undefined, study: undefined, mismatchReason: undefined };
      const { id } = await recordImage(gateway, actor, { _id: wish.copyId, ...fields, ...none }, stored);
      if (!id.equals(wish.copyId)) await blobs.delete(stored.blob.id);
      await blobs.delete(blob);
      return id;
    } catch (error) {
      if (isDuplicate(error)) await blobs.delete(stored.blob.id).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    // The same wish, sent twice at once: the other call has taken the bytes in.
    if (await models.Image.exists({ _id: wish.copyId })) return wish.copyId;
    throw asRefusal(error, maxBytes);
  } finally {
    giveBack();
  }
}
