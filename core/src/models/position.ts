import { type Id, id, schemaOf } from './fields.js';

/** The position of a search that continues at its next run. */
export interface PositionDoc {
  /** The name of the search. */
  _id: string;
  after: Id;
}

export const position = schemaOf<PositionDoc>({ _id: String, after: id });
