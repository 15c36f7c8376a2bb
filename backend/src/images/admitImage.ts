import { imageCalls } from '@lightbox/contract/images/calls.js';
import { UploadFields } from '@lightbox/contract/images/schemas.js';
import { texts } from '@lightbox/contract/texts.js';
import { usableAccount } from '@lightbox/core/access/accounts.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { openPersonIfWhole } from '@lightbox/core/users/profile.js';
import type { Gateway, Uploader, Viewer } from '../context.js';
import { FileRejected } from '../files/rejected.js';
import { bindKey } from '../http/handle.js';
import type { Subject } from '../http/throttle.js';
import { fieldErrors, tryParse } from '../http/validate.js';
import { contradictions, patientMismatch } from './patientGuard.js';
import { type NewImage, recordImage, type StoredFile, type Uploaded } from './storeImage.js';

/** The checked fields of an upload, and the account of its patient. */
export interface Upload extends Omit<UploadFields, 'patientId'> {
  patient: UserDoc | undefined;
}

const optional = new Set<string>(['patientId', 'studyId', 'mismatchReason'] satisfies (keyof UploadFields)[]);

const fieldsOfSender = UploadFields.pick({ caption: true });

/** Checks the fields that came with a file. Throws `VALIDATION_FAILED` with all that are wrong. */
export async function readUploadFields(
  gateway: Gateway,
  uploader: Uploader,
  fields: Record<string, string>,
  hasFile: boolean,
): Promise<Upload> {
  // Forms send an empty text for a field that is not filled in.
  const given = Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== '' || !optional.has(name)),
  );
  // A sender names neither a patient nor a study: the person who asked does it.
  const schema = uploader.role === 'sender' ? fieldsOfSender : imageCalls.uploadImage.body;
  const parsed = tryParse(schema, given);
  const errors = parsed.success ? [] : fieldErrors(parsed.error.issues);
  if (!hasFile) errors.push({ field: 'file', message: texts.fileRequired });
  const wanted: Partial<UploadFields> = parsed.data ?? {};
  const patient =
    wanted.patientId && uploader.role !== 'sender' ? await findPatient(gateway, uploader, wanted.patientId) : undefined;
  if (patient === null) errors.push({ field: 'patientId', message: texts.notYourPatient });
  if (errors.length > 0 || !parsed.success) {
    throw new AppError('VALIDATION_FAILED', {
      errors: errors.map((error) =>
        error.field === 'caption'
          ? { field: 'caption', message: captionMessage(error.message, fields.caption) }
          : error,
      ),
    });
  }
  const { patientId: _, ...rest }: UploadFields = parsed.data;
  return { ...rest, patient: patient ?? undefined };
}

const captionMessage = (message: string, given: string | undefined) =>
  given?.trim() ? message : texts.captionRequired;

/** Returns the account of a patient whom the viewer may choose; null for any other. */
export async function findPatient(gateway: Gateway, viewer: Viewer, id: string): Promise<UserDoc | null> {
  return gateway.models.User.findOne({
    $and: [{ _id: oid(id), role: 'patient', ...usableAccount }, await visibleUsers(gateway, viewer)],
  }).lean<UserDoc>();
}

/**
 * Makes a stored file an image, and returns it: the first image when the request repeats an earlier one. Throws
 * `PATIENT_MISMATCH` when the file contradicts its patient and no reason is given.
 */
export async function admitImage(
  gateway: Gateway,
  actor: Actor,
  uploader: Uploader,
  imageId: ObjectId,
  { caption, patient, studyId, mismatchReason }: Upload,
  stored: StoredFile,
  how: Pick<NewImage, 'resumable' | 'onlyOne' | 'arrives'> = {},
): Promise<Uploaded> {
  const sent = [caption, patient?._id ?? null, stored.facts.sha256, studyId ?? null, mismatchReason ?? null];
  const bound = bindKey(gateway, actor, JSON.stringify(sent));
  const earlier = await gateway.events.earlier(bound);
  if (earlier) return { id: earlier, image: null };
  const wrong = patient ? contradictions(stored.identity, openPersonIfWhole(gateway, patient)) : [];
  if (wrong.length > 0 && !mismatchReason) throw patientMismatch(wrong);
  const image = {
    _id: imageId,
    owner: ownerOf(uploader),
    request: uploader.role === 'sender' ? uploader : undefined,
    caption,
    patient: patient?._id,
    study: studyId ? oid(studyId) : undefined,
    mismatchReason: wrong.length > 0 ? mismatchReason : undefined,
    ...how,
  };
  return recordImage(gateway, bound, image, stored);
}

/** Returns the account that owns what is uploaded. */
export const ownerOf = (uploader: Uploader): ObjectId => (uploader.role === 'sender' ? uploader.by : uploader._id);

/** Gives the upload's point back for a further file of a study. */
export async function countStudyFile(
  { throttle }: Gateway,
  uploader: Uploader,
  { isLead }: Pick<ImageDoc, 'isLead'>,
): Promise<void> {
  const caller = { caller: uploader.id };
  if (isLead) return;
  if (await throttle.tryTake('studyFiles', caller)) await throttle.giveBack('upload', caller);
}

/** The subject of the throttles of devices: a scanner sends more than a person may. */
export const deviceOf = ({ sessionId }: Viewer): Subject => ({ device: String(sessionId) });

/** As `countStudyFile`, for a file that a device has sent. */
export async function countDeviceFile(
  { throttle }: Gateway,
  viewer: Viewer,
  { isLead }: Pick<ImageDoc, 'isLead'>,
): Promise<void> {
  if (isLead) return;
  const device = deviceOf(viewer);
  if (await throttle.tryTake('deviceFiles', device)) await throttle.giveBack('deviceStudies', device);
}

/** Returns the failure of the contract for a refused file, and any other error as it is. */
export function asRefusal(error: unknown, maxBytes: number): unknown {
  if (!(error instanceof FileRejected)) return error;
  const { code, message } = error;
  if (code === 'FILE_TOO_LARGE') return new AppError(code, { message: texts.fileSize(maxBytes) });
  // The contract's own message names the accepted types.
  if (code === 'UNSUPPORTED_TYPE') return new AppError(code);
  return new AppError(code, { message, errors: [{ field: 'file', message }] });
}
