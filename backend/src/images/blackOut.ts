import { type BlackOut, liesIn } from '@lightbox/contract/images/blackOut.js';
import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { canDeidentify, copyOf, readCopy } from '@lightbox/core/deidentify/copy.js';
import { AppError, fieldError, unlessDamaged } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import { blackOutContext, blackOutId } from '@lightbox/core/images/blackOuts.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { BlackOutDoc } from '@lightbox/core/models/blackOut.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { Copies } from '@lightbox/core/studies/joinStudy.js';
import type { Answer, Context, Gateway } from '../context.js';
import { asAppError } from '../http/errors.js';
import { asRefusal, countStudyFile } from './admitImage.js';
import { drawings, pending, until, untilDrawn } from './drawings.js';
import { presentImages } from './present.js';
import { type IncomingFile, type NewImage, quotaOf, recordImage, storeFile } from './storeImage.js';
import { readImage } from './uploadImage.js';

type Call = typeof imageCalls.blackOut;
type Made = BlackOutDoc & Required<Pick<BlackOutDoc, 'made'>>;

/**
 * Makes a new image of the caller: a copy without identity in which rectangles are black. A worker makes its bytes, and they
 * are taken in and checked like those of an upload. The original is only read. Copies of one study can be a study again, to
 * which images without rectangles belong too: their pixels stay as they are.
 */
export async function blackOut(context: Context<Call>): Promise<Answer<Image>> {
  const { gateway, viewer, params, actor } = context;
  const { image } = await requireImage(gateway.models, viewer, params.id, 'share', gateway.clock.now());
  const earlier = await gateway.events.earlier(actor);
  const id = earlier ?? (await copy(context, image));
  const made = await readImage(gateway, id);
  if (!earlier && context.body.studyId) await countStudyFile(gateway, viewer, made);
  const [shown] = await presentImages(gateway, viewer, [made]);
  return { data: shown as Image, message: texts.imageUploaded };
}

async function copy(context: Context<Call>, image: ImageDoc): Promise<ObjectId> {
  const { gateway, viewer, body } = context;
  if (!canDeidentify(image.contentType)) throw new AppError('CANNOT_BLACK_OUT');
  if (await gateway.usage.isFull(viewer._id, await quotaOf(gateway))) throw new AppError('QUOTA_REACHED');
  const from = await studyToCopy(context, image);
  // The contract asks for rectangles, or for a study.
  if (from && body.rectangles.length === 0) return copyAsItIs(context, image, from);
  await requireInside(context, image);
  // A header that cannot be followed is refused before a worker reads the pixels.
  await copyOf(gateway, image, String(image._id));
  const wish = await ask(context, image);
  // The access may have ended while a worker was busy.
  await requireImage(gateway.models, viewer, String(image._id), 'share', gateway.clock.now());
  if (await gateway.models.Image.exists({ _id: wish.copyId }).readConcern(NEWEST)) return wish.copyId;
  if (wish.failed) throw new AppError('CANNOT_BLACK_OUT');
  if (!wish.made) throw pending();
  return takeIn(context, image, { ...wish, made: wish.made }, from);
}

/** Returns the study that is copied; null for a copy by itself. Throws for a study that holds no copies of it. */
async function studyToCopy({ gateway, viewer, body }: Context<Call>, image: ImageDoc): Promise<StudyDoc | null> {
  const { models } = gateway;
  const { studyId, studyTitle } = body;
  if (!studyId && !studyTitle) return null;
  const from = image.study ? await models.Study.findById(image.study).lean<StudyDoc>() : null;
  if (!from) throw fieldError(studyId ? 'studyId' : 'studyTitle', texts.notCopiesOfIt);
  if (studyId) {
    const theirs = { _id: oid(studyId), owner: viewer._id, copiesOf: from._id };
    if (!(await models.Study.exists(theirs))) throw fieldError('studyId', texts.notCopiesOfIt);
  }
  return from;
}

const copiesIn = (
  study: ObjectId,
  { _id }: ImageDoc,
  from: StudyDoc,
  { studyTitle, studyCopies }: BlackOut,
): Copies => ({
  study,
  original: _id,
  from: from._id,
  kind: from.kind,
  title: studyTitle,
  planned: studyCopies,
});

/** Stores the copy without identity of an image in which nothing is black. Its pixels are those of the original. */
async function copyAsItIs(
  { gateway, actor, viewer, body }: Context<Call>,
  image: ImageDoc,
  from: StudyDoc,
): Promise<ObjectId> {
  const { clock } = gateway;
  const copies = copiesIn(body.studyId ? oid(body.studyId) : newId(clock.now()), image, from, body);
  const made = await copyOf(gateway, image, String(copies.study), body);
  const file = { stream: readCopy(gateway, image, made), declaredType: undefined, filename: undefined };
  return store(gateway, actor, made.size, file, {
    _id: newId(clock.now()),
    owner: viewer._id,
    caption: body.caption,
    copy: { of: image._id, blackedOut: false, copies },
  });
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
async function ask({ gateway, actor, viewer, req, body }: Context<Call>, image: ImageDoc): Promise<BlackOutDoc> {
  const { models, queues, keys, clock } = gateway;
  const _id = blackOutId(keys.images, image._id, viewer._id, body, actor.idempotency?.key);
  const find = async () => {
    const found = await models.BlackOut.findById(_id).readConcern(NEWEST).lean<BlackOutDoc>();
    return found?.made || found?.failed ? found : null;
  };
  const before = await find();
  if (before?.made && (await models.Image.exists({ _id: before.copyId }))) return before;
  // Its bytes were taken in by a copy that is deleted, or were lost.
  if (before?.made && !(await hasBytes(gateway, before.made.blob))) await models.BlackOut.deleteOne({ _id });
  else if (before) return before;
  const { rectangles, noTextLeft, studyId, studyTitle } = body;
  const createAt = clock.now();
  const study = studyId ? { study: oid(studyId) } : studyTitle ? { study: newId(createAt) } : {};
  const wish = { _id, image: image._id, copyId: newId(createAt), ...study, rectangles, noTextLeft, createAt };
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
async function takeIn(
  { gateway, actor, viewer, body }: Context<Call>,
  image: ImageDoc,
  wish: Made,
  from: StudyDoc | null,
): Promise<ObjectId> {
  const { models, blobs, keys } = gateway;
  const { blob, size, key: sealed } = wish.made;
  const dataKey = unwrapDataKey(keys.images, String(image._id), image.dataKey);
  const key = open(dataKey, blackOutContext(wish), bufferOf(sealed));
  const file = { stream: blobs.read(blob, key, size), declaredType: undefined, filename: undefined };
  const copies = wish.study && from ? copiesIn(wish.study, image, from, body) : undefined;
  try {
    const id = await store(gateway, actor, size, file, {
      _id: wish.copyId,
      owner: viewer._id,
      caption: body.caption,
      copy: { of: image._id, blackedOut: true, copies },
    });
    await blobs.delete(blob);
    return id;
  } catch (error) {
    // The same wish, sent twice at once: the other call has taken the bytes in.
    if (await models.Image.exists({ _id: wish.copyId })) return wish.copyId;
    throw error;
  }
}

type Copy = Pick<NewImage, '_id' | 'owner' | 'caption'> & Required<Pick<NewImage, 'copy'>>;

/** Stores the bytes of a copy like those of an upload. Nothing stays of bytes that become no image. */
async function store(gateway: Gateway, actor: Actor, size: number, file: IncomingFile, image: Copy): Promise<ObjectId> {
  const maxBytes = await gateway.settings.get('upload.maxBytes');
  if (size > maxBytes) throw new AppError('FILE_TOO_LARGE', { message: texts.fileSize(maxBytes) });
  const giveBack = await gateway.diskReserve.take(size);
  if (!giveBack) throw new AppError('STORAGE_FULL');
  try {
    const stored = await storeFile(gateway, image._id, file, maxBytes);
    try {
      const none = { patient: undefined, study: undefined, mismatchReason: undefined };
      const { id } = await recordImage(gateway, actor, { ...image, ...none }, stored);
      if (!id.equals(image._id)) await gateway.blobs.delete(stored.blob.id);
      return id;
    } catch (error) {
      // After a fault of the server the record may be there. Maintenance removes bytes without one.
      const isRefused = isDuplicate(error) || asAppError(error).status < 500;
      if (isRefused) await gateway.blobs.delete(stored.blob.id).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw asRefusal(error, maxBytes);
  } finally {
    giveBack();
  }
}
