import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { userCalls } from '@lightbox/contract/users/calls.js';
import { requireUser } from '@lightbox/core/access/users.js';
import { newId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { PhotoDoc } from '@lightbox/core/models/photo.js';
import { openPhoto, sealPhoto } from '@lightbox/core/users/photos.js';
import type { Answer, Context, Gateway } from '../context.js';
import { createInspector } from '../files/inspect.js';
import { FileRejected } from '../files/rejected.js';
import { type FormFile, readForm } from '../http/form.js';
import { stream } from '../http/stream.js';
import { asRefusal } from '../images/admitImage.js';
import { until } from '../images/drawings.js';
import { guarded } from '../images/imageBytes.js';

type SetCall = typeof userCalls.setPhoto;

/** Takes a photo of the caller. A worker decodes it, in the sandbox of all foreign files, and the call waits for that. */
export async function setPhoto({ gateway, actor, viewer, req }: Context<SetCall>): Promise<Answer<DataOf<SetCall>>> {
  const { models, keys, clock, events } = gateway;
  const bytes = await readPhoto(req);
  const _id = newId(clock.now());
  const id = await events.change(actor, async (tx) => {
    const photo: PhotoDoc = {
      _id,
      user: viewer._id,
      received: sealPhoto(keys, _id, 'received', bytes),
      createAt: clock.now(),
    };
    await models.Photo.create([photo], { session: tx.session });
    tx.record({ type: 'profile.photo', record: viewer._id, refs: { photo: _id } });
    return _id;
  });
  const drawn = await until(gateway, req, limits.drawingSeconds, async () => {
    const now = await models.Photo.findById(id).readConcern(NEWEST).lean<PhotoDoc>();
    return now?.received ? null : { now };
  });
  if (!drawn) return { data: { photo: null } };
  if (drawn.now?.picture) return { data: { photo: String(id) } };
  await models.Photo.deleteOne({ _id: id, picture: { $exists: false } });
  throw new AppError('UNREADABLE_FILE');
}

/** Reads the one file of the form. It must be a whole JPEG or PNG; nothing of it is decoded here. */
async function readPhoto(req: Context<SetCall>['req']): Promise<Buffer> {
  let bytes: Buffer | null = null;
  try {
    await readForm(req, {
      file: 'file',
      fileBytes: limits.photoBytes,
      onFile: async (file) => {
        bytes = await inspected(file);
      },
    });
  } catch (error) {
    throw asRefusal(error, limits.photoBytes);
  }
  if (!bytes) throw new AppError('MALFORMED_UPLOAD');
  return bytes;
}

async function inspected({ stream: file, info }: FormFile): Promise<Buffer> {
  const inspector = createInspector({
    declaredType: info.mimeType,
    filename: info.filename,
    maxBytes: limits.photoBytes,
  });
  const parts: Buffer[] = [];
  try {
    for await (const part of file) {
      inspector.write(part);
      parts.push(part);
    }
    const { contentType } = (await inspector.finish()).facts;
    if (contentType !== 'image/jpeg' && contentType !== 'image/png') {
      throw new FileRejected('UNREADABLE_FILE', 'Choose a JPEG or PNG picture.');
    }
    return Buffer.concat(parts);
  } catch (error) {
    // Read and drop the rest of the file, or the form would never end.
    file.resume();
    throw error;
  }
}

export async function removePhoto({
  gateway,
  actor,
  viewer,
}: Context<typeof userCalls.removePhoto>): Promise<Answer<unknown>> {
  const { models, events } = gateway;
  await events.change(actor, async (tx) => {
    const { session } = tx;
    await models.User.updateOne({ _id: viewer._id }, { $unset: { photo: 1 } }, { session });
    const { deletedCount } = await models.Photo.deleteMany({ user: viewer._id }, { session });
    if (deletedCount > 0) tx.record({ type: 'profile.photoRemoved', record: viewer._id });
    return viewer._id;
  });
  return { data: null };
}

/** Reads the photo that is shown of a person, or null. */
export async function readPhotoOf(
  { models, keys }: Gateway,
  user: { photo?: PhotoDoc['_id'] },
): Promise<Buffer | null> {
  const found = user.photo && (await models.Photo.findById(user.photo).readConcern(NEWEST).lean<PhotoDoc>());
  return found?.picture ? openPhoto(keys, found._id, 'picture', found.picture) : null;
}

/** Sends the photo of a person to people who may see them. */
export async function getPhoto(context: Context<typeof userCalls.getPhoto>): Promise<undefined> {
  const { gateway, viewer, params } = context;
  const bytes = await readPhotoOf(gateway, await requireUser(gateway, viewer, params.id));
  if (!bytes) throw new AppError('NOT_FOUND');
  async function* chunks() {
    yield bytes as Buffer;
  }
  await stream(context, {
    headers: { ...guarded('image/webp'), 'Content-Length': String(bytes.length) },
    chunks: chunks(),
    // A photo is part of the directory entry, whose reading is recorded where it is listed or opened.
    record: async () => undefined,
  });
  return undefined;
}
