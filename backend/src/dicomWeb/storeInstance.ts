import type { ErrorCode } from '@lightbox/contract/errors.js';
import { limits } from '@lightbox/contract/limits.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { FileIdentity } from '@lightbox/core/imaging/fileIdentity.js';
import { titleOf } from '@lightbox/core/studies/title.js';
import type { Gateway, Viewer } from '../context.js';
import { asAppError } from '../http/errors.js';
import { admitImage, asRefusal, countDeviceFile, deviceOf } from '../images/admitImage.js';
import type { NewImage, StoredFile } from '../images/storeImage.js';
import { readImage } from '../images/uploadImage.js';
import { storedWith } from './duplicate.js';

/** Statuses of C-STORE (PS3.4 §B.2.3), which STOW-RS gives as failure reasons (PS3.18 §I.2.2). */
export const StoreStatus = {
  processing: 0x0110,
  duplicate: 0x0111,
  notAuthorized: 0x0124,
  outOfResources: 0xa700,
  /** The file has another identity than its message says. */
  otherIdentity: 0xa900,
  notUnderstood: 0xc000,
} as const;
export type StoreStatus = (typeof StoreStatus)[keyof typeof StoreStatus];

/** The outcome of one file. A file that is no DICOM file has no identity. */
export interface StoreOutcome {
  identity: Partial<Pick<FileIdentity, 'studyUid' | 'seriesUid' | 'sopUid' | 'attributes'>>;
  /** Null for a file that is stored. */
  reason: StoreStatus | null;
}

const reasons: Partial<Record<ErrorCode, StoreStatus>> = {
  QUOTA_REACHED: StoreStatus.outOfResources,
  STORAGE_FULL: StoreStatus.outOfResources,
  TOO_MANY_REQUESTS: StoreStatus.outOfResources,
  FILE_TOO_LARGE: StoreStatus.outOfResources,
  CONFLICT: StoreStatus.duplicate,
};

interface Door {
  gateway: Gateway;
  viewer: Viewer;
  actor: Actor;
}

interface Incoming {
  maxBytes: number;
  /** Stores the bytes. */
  receive: (imageId: ObjectId) => Promise<StoredFile>;
  /** True when the file has the identity that its sender says. */
  isExpected: (identity: FileIdentity) => boolean;
  how?: Pick<NewImage, 'arrives'>;
}

/**
 * Stores one DICOM file that a program sends, as an upload like every other one. The same file again is a success and is
 * stored once. Throws when the message that carries it is broken, when the sender may not store any more, and after a
 * fault of the server.
 */
export async function storeInstance(door: Door, incoming: Incoming): Promise<StoreOutcome> {
  const { gateway } = door;
  let stored: StoredFile | null = null;
  try {
    const imageId = newId(gateway.clock.now());
    await gateway.throttle.take('deviceStudies', deviceOf(door.viewer));
    stored = await incoming.receive(imageId);
    const { identity } = stored;
    const outcome = await admit(door, imageId, stored, incoming);
    if (outcome.kept) stored = null;
    return { identity, reason: outcome.reason };
  } catch (error) {
    const refused = asAppError(asRefusal(error, incoming.maxBytes));
    // As in `uploadImage`: after a fault of the server the record may exist.
    if (refused.status >= 500 && refused.code !== 'STORAGE_FULL') {
      stored = null;
      throw error;
    }
    if (refused.code === 'MALFORMED_UPLOAD' || refused.status === 401) throw refused;
    return {
      identity: stored?.identity ?? {},
      reason: reasons[refused.code] ?? (stored ? StoreStatus.processing : StoreStatus.notUnderstood),
    };
  } finally {
    if (stored) await gateway.blobs.delete(stored.blob.id).catch(() => undefined);
  }
}

interface Admitted {
  reason: StoreStatus | null;
  /** The bytes belong to an image now. */
  kept: boolean;
}

/** Makes a stored file an image. The same file again is stored already; another file with its UID is refused. */
async function admit(
  { gateway, viewer, actor }: Door,
  imageId: ObjectId,
  stored: StoredFile,
  { isExpected, how }: Incoming,
): Promise<Admitted> {
  const { identity, facts } = stored;
  const { studyUid, seriesUid, sopUid } = identity;
  if (facts.contentType !== 'application/dicom' || !studyUid || !seriesUid || !sopUid || !identity.attributes) {
    return { reason: StoreStatus.notUnderstood, kept: false };
  }
  if (!isExpected(identity)) return { reason: StoreStatus.otherIdentity, kept: false };
  const again = async (): Promise<Admitted | null> => {
    const known = await storedWith(gateway, viewer._id, sopUid);
    if (known.length === 0) return null;
    // A client that begins a study anew counts like one that goes on with it.
    await countDeviceFile(gateway, viewer, { isLead: false });
    return { reason: known.includes(facts.sha256) ? null : StoreStatus.duplicate, kept: false };
  };
  const before = await again();
  if (before) return before;
  const upload = { caption: titleOf(identity).slice(0, limits.captionLength), patient: undefined };
  const uploaded = await admitImage(gateway, actor, viewer, imageId, upload, stored, { ...how, onlyOne: true }).catch(
    async (error) => {
      // Another request has stored it meanwhile.
      const meanwhile = error instanceof AppError && error.code === 'CONFLICT' ? await again() : null;
      if (!meanwhile) throw error;
      return meanwhile;
    },
  );
  if ('kept' in uploaded) return uploaded;
  await countDeviceFile(gateway, viewer, uploaded.image ?? (await readImage(gateway, uploaded.id)));
  return { reason: null, kept: true };
}
