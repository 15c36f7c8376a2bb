import { Types } from 'mongoose';

export const ObjectId = Types.ObjectId;
export type ObjectId = Types.ObjectId;

/** Comes before and after every id that the product makes. */
export const firstId = ObjectId.createFromTime(0);
export const lastId = new ObjectId('f'.repeat(24));

/** Comes before every id that is made at this time (ms) or later. */
export const idAt = (ms: number): ObjectId => ObjectId.createFromTime(Math.floor(ms / 1000));

export const oid = (id: string): ObjectId => new Types.ObjectId(id);

/**
 * Makes an id that contains the time: `at`, or by default this machine's time. Pass `at` where code reads the time from
 * the id or sorts by it.
 */
export const newId = (at?: Date): ObjectId =>
  at ? new ObjectId(ObjectId.generate(Math.floor(at.getTime() / 1000))) : new ObjectId();
export const sameId = (a: ObjectId | undefined | null, b: ObjectId | undefined | null): boolean =>
  Boolean(a && b && a.equals(b));

/** True when a unique index refused a write. */
export const isDuplicate = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 11000;
