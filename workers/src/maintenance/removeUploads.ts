import type { Core } from '@lightbox/core/core.js';
import type { UploadDoc } from '@lightbox/core/models/upload.js';
import { removeUpload } from '@lightbox/core/uploads/removeUpload.js';
import { eachApart } from './eachApart.js';

const BATCH = 100;

/** Removes resumable uploads that have expired, with the bytes that arrived. Returns true when there may be more. */
export async function removeUploads(core: Core): Promise<boolean> {
  const expired = await core.models.Upload.find(
    { expiresAt: { $lte: core.clock.now() } },
    { owner: 1, request: 1, size: 1, blob: 1 },
  )
    .limit(BATCH)
    .lean<UploadDoc[]>();
  await eachApart(core, 'removal of Upload', expired, (upload) => removeUpload(core, upload));
  return expired.length === BATCH;
}
