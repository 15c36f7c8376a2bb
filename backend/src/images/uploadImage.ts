import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { texts } from '@lightbox/contract/texts.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import { newDataKey } from '@lightbox/core/blobs/cipher.js';
import { newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { createInspector, type DicomFacts, type FileFacts, FileRejected } from '@lightbox/core/files/inspect.js';
import type { ImageDoc, WrappedKey } from '@lightbox/core/models/types.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { type FormFile, readForm } from '../http/form.js';
import { fieldErrors } from '../http/validate.js';
import { addShare } from '../sharing/shares.js';
import { presentImages } from './present.js';

type Call = typeof imageCalls.uploadImage;

interface Stored {
  blob: ObjectId;
  dataKey: WrappedKey;
  facts: FileFacts;
}

/**
 * Streams the file into the blob store, sealed and inspected on the way, while the form's fields may still be to come.
 * The image's record, written last, makes it one: a blob that never gets a record is removed, here or by maintenance.
 */
export async function uploadImage(context: Context<Call>): Promise<Answer<Image>> {
  const { gateway, actor, viewer, req } = context;
  await gateway.throttle.take('upload', viewer.id);
  const earlier = await gateway.events.earlier(actor);
  const imageId = newId();
  const maxBytes = await gateway.settings.get('upload.maxBytes');
  let stored: Stored | null = null;
  try {
    const fields = await readForm(req, {
      file: 'file',
      fileBytes: maxBytes,
      onFile: async (file) => {
        stored = await store(gateway, imageId, file, maxBytes);
      },
    });
    const { caption, patient } = await checkFields(gateway, viewer, fields, stored !== null);
    const kept = stored as unknown as Stored;
    const id = earlier ?? (await commit(context, imageId, kept, caption, patient));
    if (!id.equals(imageId)) await gateway.blobs.delete(kept.blob);
    return { data: await present(gateway, viewer, id), message: texts.imageUploaded };
  } catch (error) {
    const left = stored as Stored | null;
    if (left) await gateway.blobs.delete(left.blob).catch(() => undefined);
    throw asRefusal(error, maxBytes);
  }
}

async function store(
  gateway: Gateway,
  imageId: ObjectId,
  { stream, info }: FormFile,
  maxBytes: number,
): Promise<Stored> {
  const blob = newId();
  const { key, wrapped } = newDataKey(gateway.keys.images, String(imageId));
  const inspector = createInspector({ declaredType: info.mimeType, filename: info.filename, maxBytes });
  async function* inspected(): AsyncGenerator<Buffer> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      inspector.write(chunk);
      if (inspector.canSniff) await inspector.sniffed();
      yield chunk;
    }
    if (stream.truncated) throw new FileRejected('TOO_LARGE', texts.fileSize(maxBytes));
  }
  try {
    await gateway.blobs.write(blob, key, inspected());
    return { blob, dataKey: wrapped, facts: await inspector.finish() };
  } catch (error) {
    stream.resume();
    await gateway.blobs.delete(blob).catch(() => undefined);
    throw error;
  }
}

async function checkFields(
  gateway: Gateway,
  viewer: Viewer,
  fields: Record<string, string>,
  hasFile: boolean,
): Promise<{ caption: string; patient: ObjectId | undefined }> {
  const { patientId, ...rest } = fields;
  const parsed = imageCalls.uploadImage.body.safeParse({ ...rest, ...(patientId ? { patientId } : {}) });
  const errors = parsed.success ? [] : fieldErrors(parsed.error.issues);
  if (!hasFile) errors.push({ field: 'file', message: texts.fileRequired });
  const patient = parsed.data?.patientId ? await findPatient(gateway, viewer, parsed.data.patientId) : undefined;
  if (patient === null) errors.push({ field: 'patientId', message: 'This is not a patient you can choose.' });
  if (errors.length > 0 || !parsed.success) {
    throw new AppError('VALIDATION_FAILED', {
      errors: errors.map((error) =>
        error.field === 'caption'
          ? { field: 'caption', message: captionMessage(error.message, fields.caption) }
          : error,
      ),
    });
  }
  return { caption: parsed.data.caption, patient: patient ?? undefined };
}

const captionMessage = (message: string, given: string | undefined) =>
  given?.trim() ? message : texts.captionRequired;

async function findPatient(gateway: Gateway, viewer: Viewer, id: string): Promise<ObjectId | null> {
  const patient = await gateway.models.User.findOne(
    { $and: [{ _id: oid(id), role: 'patient', status: 'active', active: true }, visibleUsers(viewer)] },
    { _id: 1 },
  ).lean();
  return patient?._id ?? null;
}

/** What the header does not say is absent from the record, not null. */
const known = (facts: DicomFacts): NonNullable<ImageDoc['dicom']> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));

function commit(
  { gateway, actor, viewer }: Context<Call>,
  _id: ObjectId,
  { blob, dataKey, facts }: Stored,
  caption: string,
  patient: ObjectId | undefined,
): Promise<ObjectId> {
  const { contentType, size, sha256, width, height, dicom, dicomDetail } = facts;
  const image: ImageDoc = {
    _id,
    owner: viewer._id,
    ...(patient ? { patient } : {}),
    caption,
    contentType,
    size,
    sha256,
    ...(width && height ? { width, height } : {}),
    ...(dicom ? { dicom: known(dicom) } : {}),
    ...(dicomDetail ? { dicomDetail: { ...dicomDetail } } : {}),
    blob,
    dataKey,
    preview: 'pending',
    analysis: 'none',
    audience: [],
    isShared: false,
    createAt: gateway.clock.now(),
  };
  return gateway.events.change(actor, async (tx) => {
    await gateway.models.Image.create([image], { session: tx.session });
    tx.record({
      type: 'image.upload',
      table: 'imagemetadata',
      record: _id,
      owners: [viewer._id],
      recipients: [viewer._id, ...(patient ? [patient] : [])],
    });
    if (patient) await addShare(gateway, tx, { image, sharedBy: viewer._id, recipient: patient, hours: null });
    return _id;
  });
}

async function present(gateway: Gateway, viewer: Viewer, id: ObjectId): Promise<Image> {
  const image = await gateway.models.Image.findById(id).lean<ImageDoc>();
  if (!image) throw new AppError('NOT_FOUND');
  const [shown] = await presentImages(gateway, viewer, [image]);
  return shown as Image;
}

function asRefusal(error: unknown, maxBytes: number): unknown {
  if (!(error instanceof FileRejected)) return error;
  if (error.code === 'TOO_LARGE') return new AppError('FILE_TOO_LARGE', { message: texts.fileSize(maxBytes) });
  if (error.code === 'UNSUPPORTED_TYPE') return new AppError('UNSUPPORTED_TYPE');
  return new AppError(error.code, { message: error.message, errors: [{ field: 'file', message: error.message }] });
}
