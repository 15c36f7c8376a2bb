import type { Consents } from '@lightbox/contract/consents/calls.js';
import { date, type Id, id, schemaOf, string } from './fields.js';

/** One answer of a patient to a question of consent. Answers are never changed. The account has the last one. */
export interface ConsentDoc {
  _id: Id;
  user: Id;
  analysis: Consents['analysis'];
  at: Date;
}

export const consent = schemaOf<ConsentDoc>({ user: id, analysis: string, at: date }).index({ user: 1, at: -1 });
