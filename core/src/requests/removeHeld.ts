import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Actor } from '../events/events.js';
import { removeImage } from '../images/removeImage.js';
import type { UploadDoc } from '../models/upload.js';
import { removeStudy } from '../studies/removeStudy.js';
import { removeUpload } from '../uploads/removeUpload.js';

/** The reason in the log of the removal. */
const REASON = 'The request for it has ended.';

/** Removes everything that a request holds, with the bytes of uploads under way. May be repeated. */
export async function removeHeld(core: Core, actor: Actor, request: ObjectId, reason = REASON): Promise<void> {
  const { Image, Study, Upload } = core.models;
  for (const { _id } of await Study.find({ held: request }, { _id: 1 }).lean()) {
    await removeStudy(core, actor, _id, reason, { held: request });
  }
  for (const { _id } of await Image.find({ 'held.request': request }, { _id: 1 }).lean()) {
    await removeImage(core, actor, _id, reason, { 'held.request': request });
  }
  for (const upload of await Upload.find({ request, stored: false }).lean<UploadDoc[]>()) {
    await removeUpload(core, upload);
  }
}

/** Removes the files of a request that has ended, and notes that nothing is left. */
export async function removeLeftovers(core: Core, actor: Actor, request: ObjectId): Promise<void> {
  await removeHeld(core, actor, request);
  await core.models.ImageRequest.updateOne({ _id: request }, { $unset: { leftovers: 1 } });
}
