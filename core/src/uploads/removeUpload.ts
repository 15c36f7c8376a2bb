import type { Core } from '../core.js';
import type { UploadDoc } from '../models/upload.js';

type Store = Pick<Core, 'db' | 'models' | 'blobs' | 'usage'>;
type Removed = Pick<UploadDoc, '_id' | 'owner' | 'request' | 'size' | 'blob'>;

/**
 * Removes an upload with the bytes that have arrived, and frees their space. The bytes of an upload that is stored belong to
 * its image, and stay.
 */
export async function removeUpload(core: Store, upload: Removed): Promise<void> {
  if (!(await removeUnstored(core, upload))) await core.models.Upload.deleteOne({ _id: upload._id });
}

/**
 * Removes the same unless the upload is stored. Returns false when nothing was removed. A crash behind the first step leaves a
 * blob without a record, which maintenance removes.
 */
export async function removeUnstored(
  { db, models, blobs, usage }: Store,
  { _id, owner, request, size, blob }: Removed,
): Promise<boolean> {
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
  if (!isRemoved) return false;
  await blobs.delete(blob);
  await usage.giveBack(owner, size);
  return true;
}
