import { z } from 'zod';
import { Cursor, Id } from './ids.js';
import { limits } from './limits.js';

export const Pagination = z.object({
  currentPage: z.int(),
  pageSize: z.int(),
  totalPages: z.int(),
  totalItems: z.int(),
  /** The filter matches more than `limits.exactTotal`, and the server counted no further. */
  totalItemsCapped: z.boolean().optional(),
  hasPrevPage: z.boolean(),
  hasNextPage: z.boolean(),
  nextCursor: z.string().optional(),
  prevCursor: z.string().optional(),
});
export type Pagination = z.infer<typeof Pagination>;

export const FieldError = z.object({ field: z.string(), message: z.string() });
export type FieldError = z.infer<typeof FieldError>;

/** The ways in which a person may prove that it is them (step-up). With `signOn`, it is a sign-in at their provider. */
export const offeredWays = ['passkey', 'code', 'password', 'mailedCode', 'signOn'] as const;
export type OfferedWay = (typeof offeredWays)[number];

export const Failure = z.object({
  message: z.string(),
  error: z.string(),
  errors: z.array(FieldError).optional(),
  /** With a wrong code: the number of tries that are left. */
  triesLeft: z.int().optional(),
  /** With a wrong code of a share: the caller’s other share to which the code belongs. */
  belongsTo: Id.optional(),
  /** With `STEP_UP_REQUIRED`: the ways that this person has, the best one first. */
  ways: z.array(z.enum(offeredWays)).optional(),
  requestId: z.string(),
});
export type Failure = z.infer<typeof Failure>;

export interface Success<D> {
  data: D;
  message?: string;
  pagination?: Pagination;
}

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'Must be a whole number.')
    .transform(Number)
    .pipe(z.number().min(min, `Must be at least ${min}.`).max(max, `Must be at most ${max}.`));

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const count = (fallback: number, max: number) => whole(1, max).default(fallback);

/**
 * `page` and `limit` as the seed has them. The product's own screens send `cursor` for the previous and the next page.
 */
export const PageQuery = z.strictObject({
  page: count(1, 1_000_000),
  limit: count(limits.pageLimit, limits.pageLimitMax),
  cursor: Cursor.optional(),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** A sort key of a list. A dash before it reverses the order. */
export type SortOf<K extends string> = K | `-${K}`;

/** Accepts `sort=key` or `sort=-key`, for the keys that an index serves, and refuses any other key. */
export const sortBy = <const K extends string>(keys: readonly K[], fallback: SortOf<NoInfer<K>>) =>
  z.enum(keys.flatMap((key): SortOf<K>[] => [key, `-${key}`])).default(fallback as never);
