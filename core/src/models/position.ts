import { type Id, id, schemaOf } from './fields.js';

/** How far a search that goes on the next time has come. */
export interface PositionDoc {
  /** The name of the search. */
  _id: string;
  after: Id;
}

export const position = schemaOf<PositionDoc>({ _id: String, after: id });
