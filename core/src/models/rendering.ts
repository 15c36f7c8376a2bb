import type { VoiFunction } from '@lightbox/contract/images/voi.js';
import type { PictureFormat } from '../imaging/formats.js';
import { date, type Id, id, number, part, schemaOf } from './fields.js';

/** A frame or page as the server draws it, for viewers that cannot. A worker draws it; it is kept for a short time. */
export interface RenderingDoc {
  /** `renderingId`: the same for the same picture. */
  _id: Id;
  image: Id;
  /** From 1. */
  frame: number;
  /** Absent: the window of the file. Without a function, it has that of the file. */
  window?: { center: number; width: number; voiFunction?: VoiFunction };
  /** Absent: WebP. */
  format?: PictureFormat;
  /** The picture, sealed with the image's data key. Absent until it is drawn. */
  sealed?: Buffer;
  /** The frame cannot be drawn. */
  failed?: boolean;
  createAt: Date;
}

export const rendering = schemaOf<RenderingDoc>({
  image: id,
  frame: number,
  window: part<NonNullable<RenderingDoc['window']>>({ center: number, width: number, voiFunction: String }),
  format: String,
  sealed: Buffer,
  failed: Boolean,
  createAt: date,
})
  .index({ image: 1 })
  .index({ createAt: 1 }, { expireAfterSeconds: 10 * 60 });
