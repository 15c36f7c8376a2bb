import type { StudyKind } from '@lightbox/contract/studies/schemas.js';
import { date, type Id, id, number, ObjectId, schemaOf, string } from './fields.js';

/** Images that belong together. All of them have the study's owner and patient. */
export interface StudyDoc {
  _id: Id;
  owner: Id;
  patient?: Id;
  kind: StudyKind;
  title: string;
  /**
   * Of a DICOM study: a pseudonym of the owner and the StudyInstanceUID (`core/studies/joinStudy.ts`), by which further
   * files find it.
   */
  key?: string;
  /** As in the first file that has one: `YYYY-MM-DD`. */
  studyDate?: string;
  modalities: string[];
  createAt: Date;
  /** The number of its images, and of their bytes. */
  images: number;
  bytes: number;
  /** The image that stands for the study. Absent while the study is empty. */
  lead?: Id;
  /** Of a study of copies without identity: the study from which they are made. */
  copiesOf?: Id;
  /** The originals of its copies, also of those that are deleted: two files with one UID may not differ. */
  copied?: Id[];
  /** The number of copies that a study of copies will have. Absent when it has them. */
  planned?: number;
  /** The request for which its images arrived, until they are taken. */
  held?: Id;
  /** Time at which a program sent its last file. Absent when the owner has been told of it. */
  arrivedAt?: Date;
  touched?: number;
}

export const study = schemaOf<StudyDoc>({
  owner: id,
  patient: ObjectId,
  kind: string,
  title: string,
  key: String,
  studyDate: String,
  modalities: [String],
  createAt: date,
  images: number,
  bytes: number,
  lead: ObjectId,
  copiesOf: ObjectId,
  copied: { type: [ObjectId], default: undefined },
  planned: Number,
  held: ObjectId,
  arrivedAt: Date,
  touched: Number,
})
  .index({ key: 1 }, { unique: true, partialFilterExpression: { key: { $exists: true } } })
  .index({ owner: 1 })
  .index({ held: 1 }, { sparse: true })
  .index({ arrivedAt: 1 }, { sparse: true })
  // Studies that stayed empty, and studies of copies that stayed unfinished.
  .index({ images: 1, createAt: 1 })
  .index({ createAt: 1 }, { partialFilterExpression: { planned: { $exists: true } } });
