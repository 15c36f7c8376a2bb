import { bool, bytes, date, type Id, id, number, schemaOf } from './fields.js';

/** The marks of one author on one image. */
export interface AnnotationDoc {
  _id: Id;
  image: Id;
  author: Id;
  /** Grows with each change, and is never used again after the layer is removed. */
  version: number;
  shared: boolean;
  /** `Mark[]` in JSON, sealed with the data key of the image (`annotations/marks.ts`): the texts may name a patient. */
  marks: Buffer;
  updateAt: Date;
}

export const annotation = schemaOf<AnnotationDoc>({
  image: id,
  author: id,
  version: number,
  shared: bool,
  marks: bytes,
  updateAt: date,
})
  .index({ image: 1, author: 1 }, { unique: true })
  .index({ author: 1 });
