import { z } from 'zod';

/** A MongoDB ObjectId as 24 hexadecimal digits. */
export const Id = z
  .string()
  .regex(/^[0-9a-f]{24}$/i, 'Must be a 24-digit id.')
  .transform((id) => id.toLowerCase());
export type Id = string;

/** ISO 8601 in UTC, as `Date.toISOString` writes it. */
export const Time = z.iso.datetime();

/** A cursor is opaque to clients: only the server that made it reads it. It may hold two long names. */
export const Cursor = z.string().min(1).max(4000);

/** Text a person wrote: trimmed, without NUL and unpaired surrogates, which no store keeps faithfully. */
export const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max, `Must be at most ${max} characters.`)
    .refine((value) => !value.includes('\0') && value.isWellFormed(), 'Contains characters that cannot be stored.');

export const Params = z.strictObject({ id: Id });
export const UserParams = z.strictObject({ userId: Id });
