import { date, days, schemaOf } from './fields.js';

export interface SentMailDoc {
  /** `{eventId}-{template}`, also the Message-ID of the mail. */
  _id: string;
  at: Date;
}

export const sentMail = schemaOf<SentMailDoc>({ _id: String, at: date }).index(
  { at: 1 },
  { expireAfterSeconds: days(7) },
);
