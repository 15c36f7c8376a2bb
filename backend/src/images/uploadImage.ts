import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { texts } from '@lightbox/contract/texts.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Answer, Context, Gateway } from '../context.js';
import { asAppError } from '../http/errors.js';
import { type FormFile, readForm } from '../http/form.js';
import { admitImage, asRefusal, countStudyFile, readUploadFields } from './admitImage.js';
import { presentImages } from './present.js';
import { quotaOf, type StoredFile, storeFile } from './storeImage.js';

type Call = typeof imageCalls.uploadImage;

/**
 * Streams the file into the blob store, encrypted and inspected on the way; fields of the form may come after it. The
 * record of the image is written last. A blob that never gets a record is removed, here or by maintenance.
 */
export async function uploadImage(context: Context<Call>): Promise<Answer<Image>> {
  const { gateway, req } = context;
  const maxBytes = await gateway.settings.get('upload.maxBytes');
  // Reserve disk space by `Content-Length`, but no more than the largest allowed file: a client can claim any length.
  const giveBack = await gateway.diskReserve.take(Math.min(maxBytes, Number(req.get('content-length') ?? maxBytes)));
  if (!giveBack) throw new AppError('STORAGE_FULL');
  return receiveImage(context, maxBytes).finally(giveBack);
}

async function receiveImage({ gateway, actor, viewer, req }: Context<Call>, maxBytes: number): Promise<Answer<Image>> {
  // Refuse before the file is read, because nothing of it could stay.
  if (!(await gateway.events.isKeyUsed(actor)) && (await gateway.usage.isFull(viewer._id, await quotaOf(gateway)))) {
    throw new AppError('QUOTA_REACHED');
  }
  const imageId = newId(gateway.clock.now());
  let stored: StoredFile | null = null;
  let refused: unknown;
  try {
    const fields = await readForm(req, {
      file: 'file',
      fileBytes: maxBytes,
      onFile: async (file) => {
        try {
          stored = await receive(gateway, imageId, file, maxBytes);
        } catch (error) {
          // The fields, which may come behind the file, are checked before its content.
          if (asAppError(asRefusal(error, maxBytes)).status !== 422) throw error;
          refused = error;
        }
      },
    });
    const upload = await readUploadFields(gateway, viewer, fields, stored !== null || refused !== undefined);
    if (refused) throw refused;
    const file = stored as unknown as StoredFile;
    const uploaded = await admitImage(gateway, actor, viewer, imageId, upload, file);
    // From now on the blob belongs to the image.
    stored = null;
    const image = uploaded.image ?? (await readImage(gateway, uploaded.id));
    if (uploaded.id.equals(imageId)) await countStudyFile(gateway, viewer, image);
    else await gateway.blobs.delete(file.blob.id);
    const [shown] = await presentImages(gateway, viewer, [image], { unshared: uploaded.image !== null });
    return { data: shown as Image, message: texts.imageUploaded };
  } catch (error) {
    const left = stored as StoredFile | null;
    // After a fault of the server the commit may have happened although its answer was lost; a repetition with the same
    // key then finds the record. So delete the blob only after a refusal: maintenance removes blobs without a record.
    if (left && asAppError(error).status < 500) await gateway.blobs.delete(left.blob.id).catch(() => undefined);
    throw asRefusal(error, maxBytes);
  }
}

async function receive(
  gateway: Gateway,
  imageId: ObjectId,
  { stream, info }: FormFile,
  maxBytes: number,
): Promise<StoredFile> {
  // A refusal stops the reading. That must not destroy the stream: the form would never end.
  const bytes = {
    [Symbol.asyncIterator]: () => stream.iterator({ destroyOnReturn: false }),
    get truncated() {
      return stream.truncated ?? false;
    },
  };
  try {
    const file = { stream: bytes, declaredType: info.mimeType, filename: info.filename };
    return await storeFile(gateway, imageId, file, maxBytes);
  } catch (error) {
    // Read and drop the rest of the file, or the form would never end.
    stream.resume();
    throw error;
  }
}

export async function readImage({ models }: Gateway, id: ObjectId): Promise<ImageDoc> {
  const image = await models.Image.findById(id).lean<ImageDoc>();
  if (!image) throw new AppError('NOT_FOUND');
  return image;
}
