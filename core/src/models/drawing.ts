import { bytes, type Id, id, number, part, schemaOf } from './fields.js';

/** The blob with the plain frames of a file whose own frames a browser cannot take. */
export interface PlainBlob {
  blob: Id;
  /** Bytes. */
  size: number;
  /** The data key of the blob, sealed with the data key of the image (`plainContext`), so that rotating keys leaves it alone. */
  key: Buffer;
}

export interface DrawingDoc {
  /** The image's id. */
  _id: Id;
  /** A `Drawing` (`imaging/drawing.ts`) in JSON. */
  drawing: Buffer;
  /** `TagRow[]` in JSON. */
  tags: Buffer;
  plain?: PlainBlob;
  /** The version of the code that made it. */
  version: number;
}

export const plainBlob = part<PlainBlob>({ blob: id, size: number, key: bytes });

export const drawing = schemaOf<DrawingDoc>({
  drawing: bytes,
  tags: bytes,
  plain: plainBlob,
  version: number,
})
  // The blobs of plain frames, for finding blobs without a record.
  .index({ 'plain.blob': 1 }, { sparse: true })
  // Finds those that an older version made.
  .index({ version: 1, _id: 1 });
