import type { Core } from '../core.js';
import type { UploadDoc } from '../models/upload.js';

/**
 * Removes an upload with the bytes that have arrived, and frees their space. The bytes of an upload that is stored belong to
 * its image, and stay. A crash behind the first step leaves a blob without a record, which maintenance removes.
 */
export async function removeUpload(
  { models, blobs, usage }: Pick<Core, 'models' | 'blobs' | 'usage'>,
  { _id, owner, request, size, blob }: Pick<UploadDoc, '_id' | 'owner' | 'request' | 'size' | 'blob'>,
): Promise<void> {
  const removed = await models.Upload.deleteOne({ _id, stored: false });
  if (removed.deletedCount === 0) {
    await models.Upload.deleteOne({ _id });
    return;
  }
  await blobs.delete(blob);
  await usage.giveBack(owner, size);
  if (request) await models.ImageRequest.updateOne({ _id: request }, { $inc: { files: -1, bytes: -size } });
}
