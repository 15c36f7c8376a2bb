import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { PhotoDoc } from '@lightbox/core/models/photo.js';
import { openPhoto, sealPhoto } from '@lightbox/core/users/photos.js';
import type { JobContext } from '../jobContext.js';
import type { Pictures } from './preview.js';

/**
 * Draws the photo of a person as a small square, and shows it in place of an earlier one. Removes the file that was sent.
 * Does nothing when the photo was removed meanwhile.
 */
export async function renderPhoto(
  core: Core,
  pictures: Pick<Pictures, 'photo'>,
  photoId: string,
  { isLastAttempt }: Pick<JobContext, 'isLastAttempt'>,
): Promise<void> {
  const sent = await core.models.Photo.findById(oid(photoId)).lean<PhotoDoc>();
  if (!sent?.received) return;
  const bytes = openPhoto(core.keys, sent._id, 'received', sent.received);
  const drawn = await pictures.photo(bytes, isPng(bytes) ? 'image/png' : 'image/jpeg').catch((error) => {
    if (!isLastAttempt || isAway(error)) throw error;
    return null;
  });
  await store(core, sent, drawn?.bytes ?? null);
}

/** Removes the file of a photo whose job is given up. */
export async function giveUpPhoto(core: Core, photoId: string): Promise<void> {
  const sent = await core.models.Photo.findById(oid(photoId)).lean<PhotoDoc>();
  if (sent?.received) await store(core, sent, null);
}

/** A plain transaction without an event: no person acts here, and the upload is in the log. */
async function store(core: Core, { _id, user }: PhotoDoc, drawn: Buffer | null): Promise<void> {
  const { Photo, User } = core.models;
  await core.db.transaction(async (session) => {
    const picture = drawn && { picture: sealPhoto(core.keys, _id, 'picture', drawn) };
    const stored = await Photo.updateOne(
      { _id, received: { $exists: true } },
      { $unset: { received: 1 }, ...(picture ? { $set: picture } : {}) },
      { session },
    );
    if (stored.modifiedCount !== 1 || !picture) return;
    const newer = { $or: [{ photo: { $exists: false } }, { photo: { $lt: _id } }] };
    const shown = await User.updateOne(
      { _id: user, deletedAt: { $exists: false }, ...newer },
      { $set: { photo: _id } },
      { session },
    );
    // Removes the earlier ones, or this one when a newer photo is shown already or the account was closed.
    await Photo.deleteMany(shown.modifiedCount === 1 ? { user, _id: { $lt: _id } } : { _id }, { session });
  });
}

const isPng = (bytes: Buffer): boolean => bytes.toString('latin1', 1, 4) === 'PNG';
