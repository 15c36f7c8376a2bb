import { MissingChunk } from '@lightbox/core/blobs/store.js';
import { majorityHasAll } from '@lightbox/core/db/majority.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { UploadDoc } from '@lightbox/core/models/upload.js';
import { removeUnstored } from '@lightbox/core/uploads/removeUpload.js';
import type { Gateway, Uploader } from '../context.js';
import { createInspector } from '../files/inspect.js';
import { asAppError } from '../http/errors.js';
import { admitImage, asRefusal, countStudyFile, readUploadFields } from '../images/admitImage.js';
import { readImage } from '../images/uploadImage.js';
import { keyOf, metadataOf } from './sealedUploads.js';
import { UploadLock } from './uploadLock.js';

/** Statuses that say nothing about the file: the person signs in again, or waits, and goes on. */
const passing = [401, 403, 429];

/**
 * Makes the image of an upload whose bytes have all arrived. Inspects them as they are stored, because they may have
 * come through several gateways. May be repeated, also after a crash. A refused upload is removed.
 */
export async function finishUpload(
  gateway: Gateway,
  actor: Actor,
  viewer: Uploader,
  id: UploadDoc['_id'],
): Promise<void> {
  const lock = new UploadLock(gateway, id);
  await lock.lock();
  try {
    const upload = await gateway.models.Upload.findById(id).lean<UploadDoc>();
    if (!upload) throw new AppError('NOT_FOUND');
    if (!upload.stored) await makeImage(gateway, actor, viewer, upload);
  } finally {
    await lock.unlock();
  }
}

async function makeImage(gateway: Gateway, actor: Actor, viewer: Uploader, upload: UploadDoc): Promise<void> {
  const maxBytes = await gateway.settings.get('upload.maxBytes');
  const { filename, filetype, ...fields } = metadataOf(gateway, upload);
  try {
    const found = await readUploadFields(gateway, viewer, fields, true);
    const inspector = createInspector({ declaredType: filetype, filename, maxBytes });
    for await (const chunk of gateway.blobs.read(upload.blob, keyOf(gateway, upload), upload.size))
      inspector.write(chunk);
    const inspected = await inspector.finish();
    const blob = await gateway.blobs.complete(upload.blob, upload.size);
    const file = { blob, dataKey: upload.dataKey, ...(filename ? { filename } : {}), ...inspected };
    const { id, image } = await admitImage(gateway, actor, viewer, upload._id, found, file, { resumable: true });
    await countStudyFile(gateway, viewer, image ?? (await readImage(gateway, id)));
  } catch (error) {
    // A failover has lost a chunk. The client asks again for the offset, and sends the chunk again.
    if (error instanceof MissingChunk) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
    const refusal = asRefusal(error, maxBytes);
    const { status } = asAppError(refusal);
    const isRefused = status < 500 && !passing.includes(status);
    if (isRefused && !(await removeUnstored(gateway, upload)) && (await isStored(gateway, upload))) return;
    throw refusal;
  }
}

/** True when another gateway has made the image, after this one stood still and lost its lock. */
async function isStored({ db, models }: Gateway, { _id }: UploadDoc): Promise<boolean> {
  await majorityHasAll(db);
  return (await models.Upload.exists({ _id, stored: true })) !== null;
}
