import { Types } from 'mongoose';

export const ObjectId = Types.ObjectId;
export type ObjectId = Types.ObjectId;

export const oid = (id: string): ObjectId => new Types.ObjectId(id);
export const newId = (): ObjectId => new Types.ObjectId();
export const sameId = (a: ObjectId | undefined | null, b: ObjectId | undefined | null): boolean =>
  Boolean(a && b && a.equals(b));

/** A unique index refused a write. */
export const isDuplicate = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 11000;
