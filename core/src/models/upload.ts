import { bool, bytes, date, type Id, id, number, ObjectId, part, schemaOf, string } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/** The bytes behind the last whole chunk of an upload, sealed with its data key. */
export interface UploadTail {
  /** The index of the chunk that they begin. */
  chunk: number;
  length: number;
  sealed: Buffer;
}

/** The right to change an upload. It ends by itself when the process that holds it stops renewing it. */
export interface UploadLock {
  holder: string;
  until: Date;
  /** Another request waits for the upload. */
  wanted: boolean;
}

/** A resumable upload that is under way, or whose image was stored less than a day ago. */
export interface UploadDoc {
  /** Also the id of the image that it becomes. */
  _id: Id;
  owner: Id;
  /** The request for which a sender without an account sends it. */
  request?: Id;
  size: number;
  blob: Id;
  dataKey: SealedValue;
  /** The metadata that the client sent, as JSON, sealed with the data key: a file name may name a patient. */
  metadata: Buffer;
  tail?: UploadTail;
  lock?: UploadLock;
  /** True when its image is recorded: the blob then belongs to the image. */
  stored: boolean;
  expiresAt: Date;
}

export const upload = schemaOf<UploadDoc>({
  owner: id,
  request: ObjectId,
  size: number,
  blob: id,
  dataKey: { type: sealedValue, required: true },
  metadata: bytes,
  tail: part<UploadTail>({ chunk: number, length: number, sealed: bytes }),
  lock: part<UploadLock>({ holder: string, until: date, wanted: bool }),
  stored: bool,
  expiresAt: date,
})
  .index({ owner: 1, stored: 1 })
  .index({ request: 1 }, { sparse: true })
  .index({ blob: 1 })
  .index({ expiresAt: 1 })
  .index({ 'dataKey.keyId': 1 });
