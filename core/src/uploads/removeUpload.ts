import type { Core } from '../core.js';
import type { UploadDoc } from '../models/upload.js';

/**
 * Removes an upload with the bytes that have arrived, and frees their space. The bytes of an upload that is stored belong to
 * its image, and stay. A crash behind the first step leaves a blob without a record, which maintenance removes.
 */
export async function removeUpload(
  { db, models, blobs, usage }: Pick<Core, 'db' | 'models' | 'blobs' | 'usage'>,
  { _id, owner, request, size, blob }: Pick<UploadDoc, '_id' | 'owner' | 'request' | 'size' | 'blob'>,
): Promise<void> {
  const unstored = { _id, stored: false };
  const isRemoved = await (request
    ? db.transaction(async (session) => {
        if ((await models.Upload.deleteOne(unstored, { session })).deletedCount === 0) return false;
        // Its place among the files of the request, which nothing counts again. Once everything was sent, the request counts
        // the files that have arrived, and this one is not among them.
        const counted = { _id: request, receivedAt: { $exists: false } };
        await models.ImageRequest.updateOne(counted, { $inc: { files: -1, bytes: -size } }, { session });
        return true;
      })
    : models.Upload.deleteOne(unstored).then(({ deletedCount }) => deletedCount > 0));
  if (!isRemoved) {
    await models.Upload.deleteOne({ _id });
    return;
  }
  await blobs.delete(blob);
  await usage.giveBack(owner, size);
}
