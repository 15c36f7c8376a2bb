import { texts } from '@lightbox/contract/texts.js';
import { firstCard, refreshCards } from '@lightbox/core/access/cards.js';
import { liveShare } from '@lightbox/core/access/shares.js';
import { newDataKey } from '@lightbox/core/blobs/cipher.js';
import { isStored } from '@lightbox/core/blobs/isStored.js';
import type { WrittenBlob } from '@lightbox/core/blobs/store.js';
import type { Quota } from '@lightbox/core/blobs/usage.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Actor, Transaction } from '@lightbox/core/events/events.js';
import type { FileIdentity } from '@lightbox/core/imaging/fileIdentity.js';
import type { FileFacts, ImageDoc } from '@lightbox/core/models/image.js';
import type { SealedValue } from '@lightbox/core/models/sealedValue.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { instanceFor } from '@lightbox/core/studies/instance.js';
import { type Copies, type Joining, joinStudy, seemsFirst, withStudy } from '@lightbox/core/studies/joinStudy.js';
import type { Gateway, Sender } from '../context.js';
import { isInstance } from '../dicomWeb/instances.js';
import { createInspector } from '../files/inspect.js';
import { FileRejected } from '../files/rejected.js';
import { heldFor, holdPlace } from '../requests/holdFile.js';
import { addShare, makePermanent } from '../sharing/addShares.js';

export interface IncomingFile {
  /** `truncated` is set when the form's parser cut the file off at the limit. */
  stream: AsyncIterable<Buffer> & { truncated?: boolean };
  declaredType: string | undefined;
  filename: string | undefined;
}

export interface StoredFile {
  blob: WrittenBlob;
  dataKey: SealedValue;
  facts: FileFacts;
  filename?: string;
  /** Person, study and series as the file names them, for the checks of this upload alone. */
  identity: FileIdentity;
}

/** Encrypts and inspects a file on its way into the blob store. Deletes the blob when the file is refused. */
export async function storeFile(
  gateway: Gateway,
  imageId: ObjectId,
  { stream, declaredType, filename }: IncomingFile,
  maxBytes: number,
): Promise<StoredFile> {
  // Maintenance reads from the time in the id which blobs without a record are old enough to be removed.
  const blob = newId(gateway.clock.now());
  const { key, wrapped } = newDataKey(gateway.keys.images, String(imageId));
  const inspector = createInspector({ declaredType, filename, maxBytes });
  async function* inspected(): AsyncGenerator<Buffer> {
    for await (const chunk of stream) {
      inspector.write(chunk);
      if (inspector.canSniff) await inspector.sniffed();
      yield chunk;
    }
    if (stream.truncated) throw new FileRejected('FILE_TOO_LARGE', texts.fileSize(maxBytes));
  }
  try {
    const written = await gateway.blobs.write(blob, key, inspected());
    return { blob: written, dataKey: wrapped, ...(filename ? { filename } : {}), ...(await inspector.finish()) };
  } catch (error) {
    await gateway.blobs.delete(blob).catch(() => undefined);
    throw error;
  }
}

export interface NewImage {
  _id: ObjectId;
  owner: ObjectId;
  caption: string;
  patient: ObjectId | undefined;
  /** The study of pictures to which the uploader adds the image. */
  study: ObjectId | undefined;
  /** The uploader's reason for a patient whom the file contradicts. */
  mismatchReason: string | undefined;
  /** The sender's request, for a file that is held until the request is taken. */
  request?: Sender | undefined;
  /** Set when a resumable upload becomes the image: it has taken the space, and has the image's id. */
  resumable?: true;
  /** Refused with `CONFLICT` when the owner has a file with its SOP Instance UID. */
  onlyOne?: true;
  /** A program sends the files of its study one by one: the owner is told when no more come. */
  arrives?: true;
  /** Of a copy without identity: its original, if rectangles are black in it, and the study of copies. */
  copy?: { of: ObjectId; blackedOut: boolean; copies: Copies | undefined };
}

/** The image of an upload: that of the first one when a request repeats an earlier one. */
export interface Uploaded {
  id: ObjectId;
  /** The record, when this upload made it and only its owner sees it. Otherwise it must be read. */
  image: ImageDoc | null;
}

/** Writes the record that makes a stored file an image, and its patient's permanent share. */
export async function recordImage(
  gateway: Gateway,
  actor: Actor,
  image: NewImage,
  stored: StoredFile,
): Promise<Uploaded> {
  const { size } = stored.facts;
  if (image.resumable) return writeRecord(gateway, actor, image, stored);
  if (!(await gateway.usage.take(image.owner, size, await quotaOf(gateway)))) throw new AppError('QUOTA_REACHED');
  const uploaded = await writeRecord(gateway, actor, image, stored).catch(async (error) => {
    await gateway.usage.giveBackAfter(error, image.owner, size);
    throw error;
  });
  // A repeated upload counts only once.
  if (!uploaded.id.equals(image._id)) await gateway.usage.giveBack(image.owner, size);
  return uploaded;
}

/** Returns the number of files and bytes that one account may own. */
export const quotaOf = async ({ settings }: Gateway): Promise<Quota> => ({
  files: await settings.get('quota.files'),
  bytes: await settings.get('quota.bytes'),
});

async function writeRecord(
  gateway: Gateway,
  actor: Actor,
  {
    _id,
    owner,
    caption,
    patient,
    study: studyId,
    request,
    mismatchReason,
    resumable,
    onlyOne,
    arrives,
    copy,
  }: NewImage,
  { blob, dataKey, facts, identity, filename }: StoredFile,
): Promise<Uploaded> {
  const { models } = gateway;
  const image = {
    _id,
    owner,
    ...(patient ? { patient } : {}),
    caption,
    ...facts,
    blob: blob.id,
    store: blob.store,
    dataKey,
    preview: 'pending',
    analysis: 'none',
    createAt: gateway.clock.now(),
    ...(copy ? { blackedOut: copy.blackedOut } : {}),
    ...(request ? { held: heldFor(gateway, request._id, { _id, dataKey }, identity) } : {}),
  } satisfies Partial<ImageDoc>;
  const joining: Joining = {
    image,
    identity,
    ...(studyId ? { studyId } : {}),
    ...(copy?.copies ? { copies: copy.copies } : {}),
    ...(request ? { request: request._id } : {}),
    ...(arrives ? { arrives } : {}),
    ...(filename ? { filename } : {}),
  };
  const instance = await instanceFor(gateway, image, identity);
  let made: ImageDoc | null = null;
  // Only the first try relies on it.
  let isFirst = await seemsFirst(gateway, joining);
  const id = await withStudy(joining, () =>
    gateway.events.changeTogether(actor, async (tx) => {
      if (resumable) await claimUpload(gateway, _id, tx);
      const pictures = request && (await holdPlace(gateway, tx, request, facts.contentType));
      const place = pictures ? { ...joining, studyId: pictures } : joining;
      const begin = isFirst;
      isFirst = false;
      const { fields, study, begins, changesCards, namesPatient } = await joinStudy(gateway, tx, place, begin);
      if (onlyOne && instance) {
        await tx.inserts.write();
        // The study was written: of two uploads at once, the later one sees the first.
        const same = { ...isInstance, owner, 'instance.sop': instance.sop };
        if (await models.Image.exists(same).session(tx.session)) throw new AppError('CONFLICT');
      }
      const record: ImageDoc = { ...image, ...fields, ...(instance ? { instance } : {}) };
      const shareWith = study && !request ? await patientToTell(gateway, tx, study, patient, namesPatient) : patient;
      const isOwn = !record.isShared && !shareWith && !request;
      made = isOwn ? record : null;
      tx.inserts.add(models.Image, record);
      const isAlone = isOwn && (!study || begins);
      // The share and the cards are made of what is written.
      if (!isAlone && (shareWith || changesCards)) await tx.inserts.write();
      // The first command was the check of the session, or of the request that holds the file.
      if (!(await isStored(gateway, blob, tx.session))) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
      if (request) {
        tx.record({ type: 'request.file', record: _id, records: [request._id], owners: [owner] });
        return _id;
      }
      tx.record({
        ...(copy
          ? { type: 'image.blackOut' as const, refs: { original: copy.of } }
          : { type: 'image.upload' as const }),
        record: _id,
        owners: [owner],
        recipients: [owner, ...fields.audience, ...(patient ? [patient] : [])],
        ...(mismatchReason ? { reason: mismatchReason } : {}),
      });
      const target = study?.lead ? { image: study.lead, study: study._id } : { image: _id };
      const share = shareWith && { ...target, sharedBy: owner, recipient: shareWith, hours: null };
      if (share && !(await addShare(gateway, tx, share))) throw fieldError('patientId', texts.notYourPatient);
      if (!share && changesCards) {
        if (isAlone) tx.inserts.add(models.Card, firstCard(record, study));
        else await refreshCards(models, { image: _id }, image.createAt, tx.session);
      }
      return _id;
    }),
  );
  return { id, image: id.equals(_id) ? made : null };
}

/**
 * Returns the patient who gets a permanent share of the study with this upload: the one whom the upload names, or with the
 * first image the one whom the study names. Nobody when they have a live share of it: one from before the study named them
 * becomes the permanent one.
 */
async function patientToTell(
  gateway: Gateway,
  tx: Transaction,
  study: StudyDoc,
  named: ObjectId | undefined,
  namesPatient: boolean,
): Promise<ObjectId | undefined> {
  const { models, clock } = gateway;
  const patient = named ?? (study.images === 1 ? study.patient : undefined);
  if (!patient) return undefined;
  const theirs = { study: study._id, recipient: patient, ...liveShare(clock.now()) };
  const share = await models.Share.findOne(theirs, null, { session: tx.session }).lean<ShareDoc>();
  const stays = share && (!namesPatient || (await makePermanent(gateway, tx, share, study.owner)));
  return stays ? undefined : patient;
}

/** Marks a resumable upload as stored: its space and its bytes are the image's from now on. Throws when it is gone. */
async function claimUpload({ models }: Gateway, _id: ObjectId, { session }: Transaction): Promise<void> {
  const claimed = await models.Upload.updateOne({ _id, stored: false }, { $set: { stored: true } }, { session });
  if (claimed.modifiedCount !== 1) throw new AppError('NOT_FOUND');
}
