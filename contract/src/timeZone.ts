import { z } from 'zod';

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
/** The name of a time zone in the IANA database. */
export const TimeZone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/, 'Must be the name of a time zone.')
  .refine(isTimeZone, 'This time zone is not known.');
