import { bytes, type Id, number, schemaOf } from './fields.js';

export interface PreviewDoc {
  /** The image's id. */
  _id: Id;
  sealed: Buffer;
  width: number;
  height: number;
}

export const preview = schemaOf<PreviewDoc>({ sealed: bytes, width: number, height: number });
