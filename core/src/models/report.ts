import type { LanguageCode } from '@lightbox/contract/languages.js';
import { date, type Id, id, number, schemaOf, string } from './fields.js';

/** An analysis as a PDF document. A worker makes it; it is kept for a short time. */
export interface ReportDoc {
  /** `reportId`: the same for the same version, state and language. */
  _id: Id;
  image: Id;
  version: number;
  /** The word across each page; absent on the report of a signed text. */
  mark?: 'draft' | 'withdrawn';
  /** The version of the signer's shared marks. Absent: there are none. */
  marks?: number;
  language: LanguageCode;
  timeZone?: string;
  /** The document, sealed with the image's data key. Absent until it is made. */
  sealed?: Buffer;
  createAt: Date;
}

export const report = schemaOf<ReportDoc>({
  image: id,
  version: number,
  mark: String,
  marks: Number,
  language: string,
  timeZone: String,
  sealed: Buffer,
  createAt: date,
})
  .index({ image: 1 })
  .index({ createAt: 1 }, { expireAfterSeconds: 10 * 60 });
