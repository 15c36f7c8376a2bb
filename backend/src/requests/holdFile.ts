import type { ContentType } from '@lightbox/contract/images/names.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import { holdRequest, waitingRequest } from '@lightbox/core/access/requests.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import type { FileIdentity } from '@lightbox/core/imaging/fileIdentity.js';
import { open, seal } from '@lightbox/core/keys/seal.js';
import type { Held, ImageDoc } from '@lightbox/core/models/image.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { ClientSession } from 'mongoose';
import type { Gateway, Sender } from '../context.js';

/** The fields of a file that can contradict a patient. */
export type NamedInFile = Pick<FileIdentity, 'patientName' | 'patientBirthDate' | 'patientSex'>;

const contextOf = (image: ObjectId) => `${image}:held`;
const keyOf = ({ keys }: Gateway, { _id, dataKey }: Pick<ImageDoc, '_id' | 'dataKey'>) =>
  unwrapDataKey(keys.images, String(_id), dataKey);

/** Returns the mark of a held image, with the patient whom the file names, sealed. */
export function heldFor(
  gateway: Gateway,
  request: ObjectId,
  image: Pick<ImageDoc, '_id' | 'dataKey'>,
  { patientName, patientBirthDate, patientSex }: FileIdentity,
): Held {
  const named: NamedInFile = {
    ...(patientName ? { patientName } : {}),
    ...(patientBirthDate ? { patientBirthDate } : {}),
    ...(patientSex ? { patientSex } : {}),
  };
  if (Object.keys(named).length === 0) return { request };
  return { request, identity: seal(keyOf(gateway, image), contextOf(image._id), Buffer.from(JSON.stringify(named))) };
}

/** Returns the patient whom a held file names. */
export function namedInFile(gateway: Gateway, image: Pick<ImageDoc, '_id' | 'dataKey' | 'held'>): NamedInFile {
  const identity = image.held?.identity;
  return identity ? JSON.parse(open(keyOf(gateway, image), contextOf(image._id), bufferOf(identity)).toString()) : {};
}

/** Returns the number of files that a request takes, and their bytes together. */
export const roomOf = ({ kind }: Pick<Sender, 'kind'>) => ({
  files: kind === 'file' ? 1 : limits.requestFiles,
  bytes: limits.requestBytes,
});

/**
 * Takes a place among the files of a request, in the transaction that records the upload. Throws `QUOTA_REACHED` when there
 * is none.
 */
export async function takePlace(
  { models, clock }: Gateway,
  sender: Sender,
  size: number,
  session: ClientSession,
): Promise<void> {
  const { files, bytes } = roomOf(sender);
  const fits = { files: { $lt: files }, bytes: { $lte: bytes - size } };
  const taken = await models.ImageRequest.updateOne(
    { _id: sender._id, ...waitingRequest(clock.now()), ...fits },
    { $inc: { files: 1, bytes: size } },
    { session },
  );
  if (taken.matchedCount === 0) throw new AppError('QUOTA_REACHED');
}

/**
 * Holds the request in the transaction that records one of its files. For a picture or document of a folder, returns the
 * study of the request to which it belongs, and begins that study with the first one.
 */
export async function holdPlace(
  { models, clock }: Gateway,
  { session }: Transaction,
  { _id, by, kind }: Sender,
  contentType: ContentType,
): Promise<ObjectId | undefined> {
  const request = await holdRequest(models, _id, clock.now(), session);
  if (kind === 'file' || contentType === 'application/dicom') return undefined;
  if (request.pictures) return request.pictures;
  const study: StudyDoc = {
    _id: newId(clock.now()),
    owner: by,
    kind: 'pictures',
    title: texts.receivedPictures,
    modalities: [],
    createAt: clock.now(),
    images: 0,
    bytes: 0,
    held: _id,
  };
  await models.Study.create([study], { session });
  await models.ImageRequest.updateOne({ _id }, { $set: { pictures: study._id } }, { session });
  return study._id;
}
