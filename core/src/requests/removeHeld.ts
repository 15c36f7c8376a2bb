import type { ClientSession } from 'mongoose';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Actor } from '../events/events.js';
import { removeImage } from '../images/removeImage.js';
import type { Models } from '../models/models.js';
import type { StudyDoc } from '../models/study.js';
import type { UploadDoc } from '../models/upload.js';
import { removeStudy } from '../studies/removeStudy.js';
import { removeUpload } from '../uploads/removeUpload.js';

/** The reason in the log of the removal. */
const REASON = 'The request for it has ended.';

/** Everything that a request holds at one moment. */
interface HeldFiles {
  studies: Pick<StudyDoc, '_id' | 'touched'>[];
  images: ObjectId[];
  uploads: UploadDoc[];
}

/** Returns everything that a request holds, with the uploads under way. */
export async function findHeld(
  { Image, Study, Upload }: Models,
  request: ObjectId,
  session: ClientSession | null = null,
): Promise<HeldFiles> {
  const studies = await Study.find({ held: request }, { touched: 1 }, { session }).lean<HeldFiles['studies']>();
  const images = await Image.find({ 'held.request': request }, { _id: 1 }, { session }).lean<{ _id: ObjectId }[]>();
  const uploads = await Upload.find({ request, stored: false }, null, { session }).lean<UploadDoc[]>();
  return { studies, images: images.map(({ _id }) => _id), uploads };
}

/** Removes the files that were found, with the bytes of uploads under way. Files that came later stay. May be repeated. */
export async function removeHeld(
  core: Core,
  actor: Actor,
  request: ObjectId,
  { studies, images, uploads }: HeldFiles,
  reason = REASON,
): Promise<void> {
  const { Image } = core.models;
  // A study that another file has joined since then stays, and loses its images one by one.
  for (const { _id, touched = null } of studies) {
    await removeStudy(core, actor, _id, reason, { held: request, touched });
  }
  const left = { _id: { $in: images }, 'held.request': request };
  for (const { _id } of await Image.find(left, { _id: 1 }).lean()) {
    await removeImage(core, actor, _id, reason, { 'held.request': request });
  }
  for (const upload of uploads) await removeUpload(core, upload);
}

/** Removes the files of a request that has ended, and notes that nothing is left. */
export async function removeLeftovers(core: Core, actor: Actor, request: ObjectId): Promise<void> {
  await removeHeld(core, actor, request, await findHeld(core.models, request));
  await core.models.ImageRequest.updateOne({ _id: request }, { $unset: { leftovers: 1 } });
}
