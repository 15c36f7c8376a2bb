import { date, days, schemaOf } from './fields.js';

export interface SentMailDoc {
  /** `{eventId}-{template}`, the mail's Message-ID too. */
  _id: string;
  at: Date;
}

export const sentMail = schemaOf<SentMailDoc>({ _id: String, at: date }).index(
  { at: 1 },
  { expireAfterSeconds: days(7) },
);
