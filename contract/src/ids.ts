import { z } from 'zod';
import { idPattern, isStorable, notStorable, tooLong } from './written.js';

/** A MongoDB ObjectId as 24 hexadecimal digits. */
export const Id = z
  .string()
  .regex(idPattern, 'Must be a 24-digit id.')
  .transform((id) => id.toLowerCase());
export type Id = string;

/** ISO 8601 in UTC, as `Date.toISOString` writes it. */
export const Time = z.iso.datetime();

/** A cursor is opaque to clients: only the server reads it. It may contain two long names. */
export const Cursor = z.string().min(1).max(4000);

/**
 * Characters that change the direction of the text after them, take no space, or look like no letter. NUL is refused
 * below.
 */
const unseen =
  /[\p{Cc}\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]/gu;
/**
 * Joiners that are not between letters. Urdu, Persian and Indian scripts need them there; anywhere else they are
 * invisible.
 */
const strayJoiners = /(?<![\p{L}\p{M}])[\u200C\u200D]+|[\u200C\u200D]+(?![\p{L}\p{M}\u200C\u200D])/gu;

const asSeen = (value: string): string =>
  value.includes('\0') ? value : value.replace(/\s+/g, ' ').replace(unseen, '').replace(strayJoiners, '');

const storable = (max: number, written: z.ZodString) =>
  written.trim().max(max, tooLong(max)).refine(isStorable, notStorable);

/** Text that a person wrote: trimmed, without NUL and unpaired surrogates, which databases do not store faithfully. */
export const text = (max: number) => storable(max, z.string());

/** A name that others see, of a person or a thing: on one line, without invisible characters. */
export const line = (max: number) => storable(max, z.string().overwrite(asSeen));

export const Params = z.strictObject({ id: Id });
export const UserParams = z.strictObject({ userId: Id });
