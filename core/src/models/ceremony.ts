import { date, hours, type Id, schemaOf } from './fields.js';

/** A ceremony that was answered, so that no answer counts twice. */
export interface CeremonyDoc {
  _id: Id;
  expiresAt: Date;
}

export const ceremony = schemaOf<CeremonyDoc>({ expiresAt: date }).index(
  { expiresAt: 1 },
  { expireAfterSeconds: hours(1) },
);
