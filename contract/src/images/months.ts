import { z } from 'zod';
import { sortBy } from '../envelope.js';
import { Time } from '../ids.js';
import { TimeZone } from '../timeZone.js';
import { ImageSearch } from './search.js';

/** One of the two lists of the gallery, with the conditions that narrow it. */
const listed = { list: z.enum(['uploaded', 'shared']), search: ImageSearch.omit({ list: true }).default({}) };

/** Asks for the months of a list. A month begins when it begins in this time zone. */
export const MonthsOf = z.strictObject({ ...listed, timeZone: TimeZone });

/** The newest image of one month in a list, the newest month first. */
export const Month = z.object({ at: Time });
export type Month = z.infer<typeof Month>;

/** Asks for the page of a list that contains the newest image of a month. */
export const PlaceOf = z.strictObject({
  ...listed,
  at: z.iso.datetime(),
  limit: z.int().min(1).max(100),
  sort: sortBy(['createAt'], '-createAt'),
});
export const Place = z.object({
  /** Estimated when more than `limits.exactTotal` images come before the page. */
  page: z.int(),
  /** The cursor of that page; absent for the first. */
  cursor: z.string().optional(),
});
export type Place = z.infer<typeof Place>;
